import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Keyboard } from './keyboard.ts';

const [CONTROL, ALT, SHIFT, DELETE] = [0xffe3, 0xffe9, 0xffe1, 0xffff];

describe('a key', () => {
  it.each([
    ['a', 0x61, 'a'],
    ['Return', 0xff0d, '\r'],
    ['Enter of the keypad', 0xff8d, '\r'],
    ['BackSpace', 0xff08, '\x7f'],
    ['Up', 0xff52, '\x1b[A'],
    ['Left', 0xff51, '\x1b[D'],
    ['Delete', DELETE, '\x1b[3~'],
    ['7 of the keypad', 0xffb7, '7'],
    ['ä (Latin-1)', 0xe4, '\xc3\xa4'],
    ['€ (Unicode)', 0x010020ac, '\xe2\x82\xac'],
  ])('%s types its character', (_, keysym, text) => {
    expect(new Keyboard().press(keysym, true)).toEqual({ text });
    expect(new Keyboard().press(keysym, false)).toBeUndefined();
  });

  it.each([
    ['Control-C', [CONTROL, 0x63], '\x03'],
    ['Alt-x', [ALT, 0x78], '\x1bx'],
    ['Shift-A', [SHIFT, 0x41], 'A'],
    ['Control-Return', [CONTROL, 0xff0d], '\r'],
  ])('%s', (_, keysyms, text) => {
    const keyboard = new Keyboard();
    expect(keysyms.map((keysym) => keyboard.press(keysym, true)).at(-1)).toEqual({ text });
  });

  it('Control-Alt-Delete restarts, while both are held', () => {
    const keyboard = new Keyboard();
    keyboard.press(CONTROL, true);
    keyboard.press(ALT, true);
    expect(keyboard.press(DELETE, true)).toBe('restart');
    keyboard.press(ALT, false);
    expect(keyboard.press(DELETE, true)).toEqual({ text: '\x1b[3~' });
  });

  it('of any number is one character at most', () => {
    fc.assert(
      fc.property(fc.nat({ max: 2 ** 32 - 1 }), (keysym) => {
        const stroke = new Keyboard().press(keysym, true);
        expect(stroke === undefined || (stroke !== 'restart' && stroke.text.length <= 4)).toBe(true);
      }),
    );
  });
});
