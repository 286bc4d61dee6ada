import { expect, it } from 'vitest';
import { macNumber, macText } from './mac-number.ts';

it.each(['52:54:00:ab:cd:ef', '52-54-00-AB-CD-EF', '5254.00ab.cdef'])('parses %s', (text) => {
  expect(macNumber(text)).toBe(0x525400abcdef);
});

it('returns undefined for an invalid MAC address', () => {
  expect(macNumber('52:54:00-ab:cd:ef')).toBeUndefined();
  expect(macNumber('')).toBeUndefined();
});

it('formats all six octets', () => {
  expect(macText(0x0200000000ff)).toBe('02:00:00:00:00:ff');
  expect(macText(1)).toBe('00:00:00:00:00:01');
});
