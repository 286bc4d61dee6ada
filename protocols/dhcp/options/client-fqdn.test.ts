import { describe, expect, it } from 'vitest';
import { decodeClientFqdn, encodeClientFqdn } from './client-fqdn.ts';
import { decodeClientInterface, encodeClientInterface } from './client-interface.ts';

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

describe('the client interface', () => {
  it('encodes and decodes', () => {
    const undi = { type: 1, major: 3, minor: 16 };
    expect(Buffer.from(encodeClientInterface(undi)).toString('hex')).toBe('010310');
    expect(decodeClientInterface(Buffer.from('010310', 'hex'))).toEqual(undi);
  });

  it.each(['', '0103', '01031000'])('requires three bytes: %j', (hex) => {
    expect(decodeClientInterface(Buffer.from(hex, 'hex'))).toBeUndefined();
  });
});
