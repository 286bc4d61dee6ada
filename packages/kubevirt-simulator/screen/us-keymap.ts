/**
 * Keys of a US keyboard by QEMU's number: the scan code of set 1, plus 0x80 for those with the prefix E0. Keysyms are X's
 * (`keysymdef.h`). QEMU finds the key of a keysym in the same way, by its keymap `en-us`.
 */

/** Modifiers, left and right. */
export const MODIFIER = { shift: [0x2a, 0x36], control: [0x1d, 0x9d], alt: [0x38, 0xb8] } as const;
export const CAPS_LOCK = 0x3a;
export const DELETE = 0xd3;
export const KEYPAD_DELETE = 0x53;

/** Rows of keys with one number after the other: the first, and the characters without and with Shift. */
const ROWS: readonly (readonly [first: number, plain: string, shifted: string])[] = [
  [0x02, '1234567890-=', '!@#$%^&*()_+'],
  [0x10, 'qwertyuiop[]', 'QWERTYUIOP{}'],
  [0x1e, "asdfghjkl;'`", 'ASDFGHJKL:"~'],
  [0x2b, '\\zxcvbnm,./', '|ZXCVBNM<>?'],
  [0x39, ' ', ' '],
];

/** The keypad from 0x47, with Num Lock. */
const KEYPAD = { first: 0x47, characters: '789-456+1230.' } as const;
/** Keys of the keypad that have the same character with and without Num Lock. */
const OPERATORS: Readonly<Record<number, string>> = { 0x37: '*', 0x4a: '-', 0x4e: '+', 0xb5: '/' };

/** What keys without a character send on a Linux console (terminfo `linux`). Without Num Lock the keypad has them, too. */
const SEQUENCES: Readonly<Record<number, string>> = {
  0x01: '\x1b',
  0x0e: '\x7f',
  0x0f: '\t',
  0x1c: '\r',
  0x9c: '\r',
  0xc7: '\x1b[1~',
  0xc8: '\x1b[A',
  0xc9: '\x1b[5~',
  0xcb: '\x1b[D',
  0xcd: '\x1b[C',
  0xcf: '\x1b[4~',
  0xd0: '\x1b[B',
  0xd1: '\x1b[6~',
  0xd2: '\x1b[2~',
  [DELETE]: '\x1b[3~',
};

/** Keys from 0xff08 on by their keysym; keysyms of Latin-1 are characters. */
const KEYS: ReadonlyMap<number, number> = new Map([
  [0xff_08, 0x0e],
  [0xff_09, 0x0f],
  [0xff_0d, 0x1c],
  [0xff_1b, 0x01],
  ...listed(0xff_50, [0xc7, 0xcb, 0xc8, 0xcd, 0xd0, 0xc9, 0xd1, 0xcf]),
  [0xff_63, 0xd2],
  [0xff_8d, 0x9c],
  // The keypad without Num Lock, its operators, and its digits.
  ...listed(0xff_95, [0x47, 0x4b, 0x48, 0x4d, 0x50, 0x49, 0x51, 0x4f, 0x4c, 0x52, KEYPAD_DELETE]),
  ...listed(0xff_aa, [0x37, 0x4e, 0x53, 0x4a, 0x53, 0xb5]),
  ...listed(0xff_b0, [0x52, 0x4f, 0x50, 0x51, 0x4b, 0x4c, 0x4d, 0x47, 0x48, 0x49]),
  ...listed(0xff_e1, [...MODIFIER.shift, ...MODIFIER.control, CAPS_LOCK]),
  ...listed(0xff_e7, [...MODIFIER.alt, ...MODIFIER.alt]),
  [0xff_ff, DELETE],
]);

const CHARACTERS: ReadonlyMap<number, readonly [plain: string, shifted: string]> = new Map(
  ROWS.flatMap(([first, plain, shifted]) =>
    plain.split('').map((character, index) => [first + index, [character, shifted.charAt(index)]] as const),
  ),
);

const KEY_OF_CHARACTER: ReadonlyMap<string, number> = new Map(
  [...CHARACTERS].flatMap(([key, characters]) => characters.map((character) => [character, key] as const)),
);

/** The key that has this keysym, with or without Shift. Undefined if no key has it. As QEMU does, it compares the low 16 bits only. */
export function keyOf(keysym: number): number | undefined {
  const symbol = keysym & 0xff_ff;
  return KEYS.get(symbol) ?? KEY_OF_CHARACTER.get(String.fromCharCode(symbol));
}

/** The characters of a key without and with Shift, if it is one of the rows. */
export function charactersOf(key: number): readonly [plain: string, shifted: string] | undefined {
  return CHARACTERS.get(key);
}

/**
 * What a key outside the rows types.
 *
 * @param keysym of a key of the keypad: whether Num Lock is on, as QEMU switches it on and off by the keysym
 */
export function sequenceOf(key: number, keysym: number): string | undefined {
  const operator = OPERATORS[key];
  if (operator !== undefined) return operator;
  const onKeypad = KEYPAD.characters.charAt(key - KEYPAD.first);
  if (onKeypad === '') return SEQUENCES[key];
  const symbol = keysym & 0xff_ff;
  const hasNumLock = symbol >= 0xff_ac && symbol <= 0xff_b9;
  return hasNumLock ? onKeypad : SEQUENCES[key | 0x80];
}

function listed(first: number, keys: readonly number[]): [keysym: number, key: number][] {
  return keys.map((key, index) => [first + index, key]);
}
