import type { Key } from './key-combinations.ts';

/** How a character is typed. */
export interface Stroke {
  readonly key: Key;
  readonly isShifted: boolean;
}

/** A text as keys. */
export interface Strokes {
  readonly strokes: readonly Stroke[];
  /** Characters that no key has, with how often they are in the text. */
  readonly missing: ReadonlyMap<string, number>;
}

/**
 * Keys of a US keyboard by their `KeyboardEvent.code` (UI Events KeyboardEvent code Values), with the characters that they
 * have without and with Shift.
 */
const KEYS: readonly (readonly [code: string, characters: string])[] = [
  ...Array.from('abcdefghijklmnopqrstuvwxyz', (letter) => {
    const capital = letter.toUpperCase();
    return [`Key${capital}`, letter + capital] as const;
  }),
  ...['0)', '1!', '2@', '3#', '4$', '5%', '6^', '7&', '8*', '9('].map(
    (pair) => [`Digit${pair.charAt(0)}`, pair] as const,
  ),
  ['Backquote', '`~'],
  ['Minus', '-_'],
  ['Equal', '=+'],
  ['BracketLeft', '[{'],
  ['BracketRight', ']}'],
  ['Backslash', '\\|'],
  ['Semicolon', ';:'],
  ['Quote', '\'"'],
  ['Comma', ',<'],
  ['Period', '.>'],
  ['Slash', '/?'],
  ['Space', ' '],
  ['Tab', '\t'],
  ['Enter', '\n'],
];

/** X11 symbols of keys without a printable character; that of others is the character. */
const SYMBOLS: Readonly<Record<string, number>> = { '\t': 0xff09, '\n': 0xff0d };

const STROKES: ReadonlyMap<string, Stroke> = new Map(
  KEYS.flatMap(([code, characters]) =>
    Array.from(characters, (character, index) => {
      const symbol = SYMBOLS[character] ?? character.charCodeAt(0);
      return [character, { key: { symbol, code }, isShifted: index === 1 }] as const;
    }),
  ),
);

/**
 * The keys that type a text on a US keyboard. A guest gets keys, not characters: with another layout it makes other
 * characters of them.
 */
export function strokesOf(text: string): Strokes {
  const strokes: Stroke[] = [];
  const missing = new Map<string, number>();
  for (const character of text.replaceAll(/\r\n?/g, '\n')) {
    const stroke = STROKES.get(character);
    if (stroke === undefined) missing.set(character, (missing.get(character) ?? 0) + 1);
    else strokes.push(stroke);
  }
  return { strokes, missing };
}
