import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeClientFqdn, decodeDomainSearch, encodeClientFqdn, encodeDomainSearch } from './domain-names.ts';

function decode(hex: string): string[] | undefined {
  return decodeDomainSearch(Buffer.from(hex, 'hex'));
}

describe('the domain search list', () => {
  it('compresses a common suffix to a pointer, and decodes it', () => {
    // The example of RFC 3397.
    const names = ['eng.apple.com', 'marketing.apple.com'];
    const hex = '03656e67056170706c6503636f6d00' + '096d61726b6574696e67c004';
    expect(Buffer.from(encodeDomainSearch(names)).toString('hex')).toBe(hex);
    expect(decode(hex)).toEqual(names);
  });

  it('encodes and decodes any names', () => {
    const label = fc.stringMatching(/^[a-z0-9-]{1,20}$/);
    const name = fc.array(label, { minLength: 1, maxLength: 6 }).map((labels) => labels.join('.'));
    fc.assert(
      fc.property(fc.array(name, { maxLength: 20 }), (names) => {
        expect(decodeDomainSearch(encodeDomainSearch(names))).toEqual(names);
      }),
    );
  });

  it('accepts an empty list', () => {
    expect(decode('')).toEqual([]);
    expect(encodeDomainSearch([])).toHaveLength(0);
  });

  it('removes a trailing dot', () => {
    expect(encodeDomainSearch(['a.b.'])).toEqual(encodeDomainSearch(['a.b']));
  });

  it.each([
    ['a label of 64 bytes', `${'a'.repeat(64)}.com`],
    ['an empty label', 'a..b'],
    ['nothing', ''],
    ['more than 255 bytes', 'abc.'.repeat(70)],
  ])('refuses to encode %s', (_name, name) => {
    expect(() => encodeDomainSearch([name])).toThrow(RangeError);
  });

  it.each([
    ['a truncated label', '0361'],
    ['a name without an end', '0161'],
    ['a truncated pointer', '016100c0'],
    ['a pointer to itself', 'c000'],
    ['a pointer forwards', 'c00300016100'],
    ['a loop of pointers', '0161c000'],
    ['an unknown label type', '8061'],
    ['a name of more than 255 bytes', `${`3f${'61'.repeat(63)}`.repeat(4)}00`],
  ])('does not decode %s', (_name, hex) => {
    expect(decode(hex)).toBeUndefined();
  });

  it('accepts at most 128 names, to limit the expansion by pointers', () => {
    expect(decode(`016100${'c000'.repeat(127)}`)).toHaveLength(128);
    expect(decode(`016100${'c000'.repeat(128)}`)).toBeUndefined();
  });
});

describe('the client FQDN', () => {
  it.each([
    ['04ffff02766d036c616e00', { flags: 4, name: 'vm.lan' }],
    ['01ffff766d2e6c616e', { flags: 1, name: 'vm.lan' }],
    ['04ffff', { flags: 4, name: '' }],
    ['00ffff', { flags: 0, name: '' }],
  ])('encodes and decodes %s', (hex, fqdn) => {
    expect(decodeClientFqdn(Buffer.from(hex, 'hex'))).toEqual(fqdn);
    expect(Buffer.from(encodeClientFqdn(fqdn)).toString('hex')).toBe(hex);
  });

  it('accepts a single label without a terminating zero', () => {
    expect(decodeClientFqdn(Buffer.from('05000002766d', 'hex'))).toEqual({ flags: 5, name: 'vm' });
  });

  it.each(['', '0400', '04000005766d', '040000016100016200'])('rejects a truncated value or two names: %j', (hex) => {
    expect(decodeClientFqdn(Buffer.from(hex, 'hex'))).toBeUndefined();
  });
});
