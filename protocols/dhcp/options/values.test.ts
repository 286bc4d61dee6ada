import { describe, expect, it } from 'vitest';
import {
  decodeAddresses,
  decodeText,
  decodeU16,
  decodeU32,
  decodeU8,
  encodeAddresses,
  encodeText,
  encodeU16,
  encodeU32,
  encodeU8,
} from './values.ts';

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

it.each(['', 'vm-1', 'müller', '\ufeffx'])('text encodes and decodes: %s', (text) => {
  expect(decodeText(encodeText(text))).toBe(text);
});

it.each([
  ['vm\0', 'vm'],
  ['vm\0\0', 'vm'],
  ['\0', ''],
  ['a\0b', 'a\0b'],
])('text is read without trailing NULs: %j', (text, expected) => {
  expect(decodeText(Buffer.from(text))).toBe(expected);
});

it('text with invalid UTF-8 is read with replacement characters', () => {
  expect(decodeText(Uint8Array.of(0xff, 0x41))).toBe('\ufffdA');
});
