import { describe, expect, it } from 'vitest';
import { PodAddresses } from './pod-addresses.ts';

describe('pod addresses', () => {
  it('are each given out once, from 127.64.0.1 on', () => {
    const addresses = new PodAddresses();
    expect([addresses.allocate(), addresses.allocate()]).toEqual(['127.64.0.1', '127.64.0.2']);
  });

  it('are not given out again at once', () => {
    const addresses = new PodAddresses();
    addresses.release(addresses.allocate());
    expect(addresses.allocate()).toBe('127.64.0.2');
  });

  it('are all used before it says that there are none, and never the first or the last of the range', () => {
    const addresses = new PodAddresses();
    const all = new Set(Array.from({ length: 65_534 }, () => addresses.allocate()));
    expect(all.size).toBe(65_534);
    expect(all.has('127.64.0.0') || all.has('127.64.255.255')).toBe(false);
    expect(() => addresses.allocate()).toThrow(RangeError);
    addresses.release('127.64.9.9');
    expect(addresses.allocate()).toBe('127.64.9.9');
  });
});
