import { expect, it } from 'vitest';
import { decodeText, encodeText } from './text.ts';

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
