import { expect, it } from 'vitest';
import { COMBINATIONS, isRelease } from './key-combinations.ts';

it('has each key and combination once', () => {
  const labels = COMBINATIONS.map(({ label }) => label);
  expect(new Set(labels).size).toBe(labels.length);
  expect(labels).toEqual(expect.arrayContaining(['Tab', 'Delete', 'Escape', 'F1', 'F12', 'Ctrl-Alt-F7']));
  expect(COMBINATIONS.find(({ label }) => label === 'F12')?.keys).toEqual([{ symbol: 0xffc9, code: 'F12' }]);
  expect(COMBINATIONS.find(({ label }) => label.startsWith('Alt-SysRq-S'))?.keys).toEqual([
    { symbol: 0xffe9, code: 'AltLeft' },
    { symbol: 0xff15, code: 'PrintScreen' },
    { symbol: 0x73, code: 'KeyS' },
  ]);
});

/** A key that goes down. `held`: modifiers, with the key itself if it is one. */
function keydown(code: string, held: string, key = ''): KeyboardEvent {
  return {
    code,
    key,
    ctrlKey: held.includes('c'),
    altKey: held.includes('a'),
    shiftKey: held.includes('s'),
    getModifierState: (name: string) => name === 'AltGraph' && held.includes('g'),
  } as unknown as KeyboardEvent; // Only what is read of it.
}

it.each([
  ['Shift as the last', keydown('ShiftLeft', 'cas'), true],
  ['Alt as the last, which X calls Meta', keydown('AltLeft', 'cs', 'Meta'), true],
  ['Ctrl as the last', keydown('ControlRight', 'cas'), true],
  ['two of them', keydown('ShiftLeft', 'cs'), false],
  ['a letter with them', keydown('KeyA', 'cas'), false],
  ['AltGr of Windows with Shift', keydown('AltRight', 'casg', 'AltGraph'), false],
  ['Shift with AltGr of Windows', keydown('ShiftLeft', 'casg'), false],
])('gives the keyboard back: %s', (_, event, does) => {
  expect(isRelease(event)).toBe(does);
});
