import { strokesOf } from './us-layout.ts';

/** Characters that can be typed at once, in some four minutes. */
export const MOST_TYPED = 10_000;
/** Missing characters that are named. */
const MOST_NAMED = 8;

/** What stands against typing a text. */
export interface Checked {
  /** Why it cannot be typed. */
  readonly refusal?: string;
  /** What is not typed of it. */
  readonly warning?: string;
}

/** What is wrong with a text that is to be typed on the screen. */
export function checkTyping(text: string): Checked {
  if (text.length > MOST_TYPED) {
    return {
      refusal: `The text has ${grouped(text.length)} characters, and at most ${grouped(MOST_TYPED)} are typed at once. Type it in parts.`,
    };
  }
  const { strokes, missing } = strokesOf(text);
  const count = [...missing.values()].reduce((sum, each) => sum + each, 0);
  if (count === 0) return {};
  const names = [...missing.keys()].slice(0, MOST_NAMED).map(nameOf).join(' ');
  const others = missing.size > MOST_NAMED ? ` and ${missing.size - MOST_NAMED} others` : '';
  const words = `${count === 1 ? '1 character is' : `${grouped(count)} characters are`} not on a US keyboard: ${names}${others}`;
  return strokes.length === 0 ? { refusal: `${words}.` } : { warning: `${words}. The text is typed without them.` };
}

/** The character, or its number if it would not be seen. */
function nameOf(character: string): string {
  if (!/[\p{C}\p{M}\p{Z}]/u.test(character)) return character;
  const number = character.codePointAt(0) ?? 0;
  return `U+${number.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** A number with separators: 10,000. */
export function grouped(count: number): string {
  return count.toLocaleString('en');
}
