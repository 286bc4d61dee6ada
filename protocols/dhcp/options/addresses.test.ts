import { expect, it } from 'vitest';
import { decodeAddresses, encodeAddresses } from './addresses.ts';

it.each<[string, number[]]>([
  ['', []],
  ['0a000001', [0x0a000001]],
  ['ffffffff08080404', [0xffffffff, 0x08080404]],
])('addresses: encodes and decodes %s', (hex, addresses) => {
  expect(decodeAddresses(Buffer.from(hex, 'hex'))).toEqual(addresses);
  expect(Buffer.from(encodeAddresses(addresses)).toString('hex')).toBe(hex);
});

it.each(['0a', '0a0000', '0a00000108'])('addresses: rejects %s', (hex) => {
  expect(decodeAddresses(Buffer.from(hex, 'hex'))).toBeUndefined();
});
