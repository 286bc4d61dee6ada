import { expect, it } from 'vitest';
import { strokesOf } from './us-layout.ts';

it('has a key for each printable character of ASCII, for Tab and for line ends', () => {
  const printable = Array.from({ length: 0x5f }, (_, index) => String.fromCharCode(0x20 + index)).join('');
  const { strokes, missing } = strokesOf(`${printable}\t\n`);
  expect(missing.size).toBe(0);
  expect(strokes).toHaveLength(97);
  // Two characters of one key differ in Shift.
  expect(new Set(strokes.map(({ key, isShifted }) => `${key.code} ${isShifted}`)).size).toBe(97);
});

it('types a text with the keys of a US keyboard', () => {
  const { strokes } = strokesOf('aA_\t\r\n\r');
  expect(strokes.map(({ key, isShifted }) => [key.symbol, key.code, isShifted])).toEqual([
    [0x61, 'KeyA', false],
    [0x41, 'KeyA', true],
    [0x5f, 'Minus', true],
    [0xff09, 'Tab', false],
    [0xff0d, 'Enter', false],
    [0xff0d, 'Enter', false],
  ]);
});

it('counts what it cannot type', () => {
  const { strokes, missing } = strokesOf('ä1ä€😀\u001b');
  expect(strokes).toHaveLength(1);
  expect([...missing]).toEqual([
    ['ä', 2],
    ['€', 1],
    ['😀', 1],
    ['\u001b', 1],
  ]);
});
