import { describe, expect, it } from 'vitest';
import { AddressRange } from './service-addresses.ts';

describe('an address range', () => {
  const range = new AddressRange('127.96.0.0/30');

  it('allocates all addresses but the first and the last one', () => {
    const taken = new Set<string>();
    taken.add(range.pick(taken, () => 0.99));
    taken.add(range.pick(taken, () => 0.99));
    expect(taken).toEqual(new Set(['127.96.0.2', '127.96.0.1']));
    expect(() => range.pick(taken, () => 0)).toThrow(RangeError);
  });

  it('reports why an address cannot be allocated', () => {
    const none = new Set<string>();
    expect(range.problemWith('127.96.0.1', none)).toBeUndefined();
    expect(range.problemWith('127.96.0.0', none)).toContain('does not match the current range');
    expect(range.problemWith('10.0.0.1', none)).toContain('does not match the current range');
    expect(range.problemWith('x', none)).toBe('the provided IP is not valid');
    expect(range.problemWith('127.96.0.1', new Set(['127.96.0.1']))).toBe('provided IP is already allocated');
  });

  it.each(['10.0.0.0', '10.0.0.0/31', '::/64', 'x/8'])('cannot be created from %s', (cidr) => {
    expect(() => new AddressRange(cidr)).toThrow(TypeError);
  });
});
