import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Keyboard } from './keyboard.ts';

const [CONTROL, ALT, SHIFT, DELETE] = [0xffe3, 0xffe9, 0xffe1, 0xffff];

/** The text of keys that are pressed one after the other, each by its keysym or by keysym and number. */
function typed(keys: readonly (number | readonly [keysym: number, number: number])[]): string {
  const keyboard = new Keyboard();
  return keys
    .map((key) => (typeof key === 'number' ? keyboard.press(key, true) : keyboard.press(key[0], true, key[1])))
    .map((stroke) => (typeof stroke === 'object' ? stroke.text : ''))
    .join('');
}

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
    ['Home of the keypad', 0xff95, '\x1b[1~'],
    ['/ of the keypad', 0xffaf, '/'],
  ])('%s types what it has', (_, keysym, text) => {
    expect(new Keyboard().press(keysym, true)).toEqual({ text });
    expect(new Keyboard().press(keysym, false)).toBeUndefined();
  });

  it.each([
    ['Control-C', [CONTROL, 0x63], '\x03'],
    ['Alt-x', [ALT, 0x78], '\x1bx'],
    ['Shift-A', [SHIFT, 0x41], 'A'],
    ['Control-Return', [CONTROL, 0xff0d], '\r'],
    ['Shift-1', [SHIFT, 0x31], '!'],
  ])('%s', (_, keysyms, text) => {
    expect(typed(keysyms)).toBe(text);
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
      fc.property(fc.nat({ max: 2 ** 32 - 1 }), fc.option(fc.nat({ max: 255 }), { nil: undefined }), (keysym, key) => {
        const stroke = new Keyboard().press(keysym, true, key);
        expect(stroke === undefined || (stroke !== 'restart' && stroke.text.length <= 4)).toBe(true);
      }),
    );
  });
});

describe('as in QEMU', () => {
  const symbols = Array.from('!@#$_:"|~', (character) => character.charCodeAt(0));

  it('a symbol without Shift is the key that has it', () => {
    expect(typed(symbols)).toBe("1234-;'\\`");
    expect(typed([SHIFT, ...symbols])).toBe('!@#$_:"|~');
  });

  it('letters have their case, by Caps Lock', () => {
    expect(typed(Array.from('aBc', (letter) => letter.charCodeAt(0)))).toBe('aBc');
    // Shift with the keysym of a small letter: Caps Lock must be on.
    expect(typed([SHIFT, 0x61])).toBe('a');
    expect(typed([0xffe5, [0, 0x1e], [0, 0x02]])).toBe('A1');
  });

  it('characters that a US keyboard does not have, have no effect', () => {
    expect(typed([0xe4, 0x010020ac])).toBe('');
  });

  it('an extended key event is the key of its number', () => {
    expect(
      typed([
        [0x7a, 0x15],
        [0xffe1, 0x2a],
        [0x21, 0x02],
      ]),
    ).toBe('y!');
    expect(typed([[0, 0xd3]])).toBe('\x1b[3~');
    expect(typed([[0, 0xff]])).toBe('');
  });
});
