import { describe, expect, it } from 'vitest';
import { decodeU16, decodeU32, decodeU8, encodeU16, encodeU32, encodeU8 } from './numbers.ts';

describe.each([
  ['one byte', encodeU8, decodeU8, 255, 'ff'],
  ['two bytes', encodeU16, decodeU16, 0xfedc, 'fedc'],
  ['four bytes', encodeU32, decodeU32, 0xfedcba98, 'fedcba98'],
])('a number of %s', (_name, encode, decode, number, hex) => {
  it('encodes and decodes as unsigned', () => {
    expect(Buffer.from(encode(number)).toString('hex')).toBe(hex);
    expect(decode(Buffer.from(hex, 'hex'))).toBe(number);
  });

  it('is undefined for another length', () => {
    expect(decode(Buffer.from(`${hex}00`, 'hex'))).toBeUndefined();
    expect(decode(Buffer.alloc(0))).toBeUndefined();
  });
});
