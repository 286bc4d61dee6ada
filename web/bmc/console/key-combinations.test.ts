import { expect, it } from 'vitest';
import { MOST_TYPED, symbolsOf } from './key-combinations.ts';

it('has the X11 symbols of a text', () => {
  expect(symbolsOf('Aß€\t😀\r\n~')).toEqual([0x41, 0xdf, 0x010020ac, 0xff09, 0x0101f600, 0xff0d, 0x7e]);
});

it('leaves out control characters', () => {
  expect(symbolsOf('\u0000\u001b\u007f\u0080')).toEqual([]);
});

it('has a limit', () => {
  expect(symbolsOf('x'.repeat(MOST_TYPED + 1))).toHaveLength(MOST_TYPED);
});
