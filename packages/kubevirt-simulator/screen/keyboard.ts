import { CAPS_LOCK, charactersOf, DELETE, KEYPAD_DELETE, keyOf, MODIFIER, sequenceOf } from './us-keymap.ts';

/** Effect of a key on the guest: text, one character for each byte, or a restart. */
export type KeyStroke = { text: string } | 'restart';

/**
 * The keyboard of a guest with a US layout. As in QEMU (`ui/vnc.c`), a client presses keys, not characters: a KeyEvent is
 * the key that has the keysym in the layout, with Shift or without, and does not press Shift. So `!` without Shift is a
 * `1`. Caps Lock follows the case of letters. Characters that the layout does not have, have no effect.
 */
export class Keyboard {
  readonly #held = new Set<number>();
  #hasCapsLock = false;

  /**
   * The effect of a key that goes down or up, undefined if it has none.
   *
   * @param number the key's number in QEMU's extended key event; undefined in a KeyEvent
   */
  press(keysym: number, isDown: boolean, number?: number): KeyStroke | undefined {
    const key = number ?? keyOf(keysym);
    if (key === undefined) return undefined;
    if (isModifier(key)) {
      if (isDown) this.#held.add(key);
      else this.#held.delete(key);
      return undefined;
    }
    if (!isDown) return undefined;
    if (key === CAPS_LOCK) this.#hasCapsLock = !this.#hasCapsLock;
    const [hasControl, hasAlt] = [this.#holds('control'), this.#holds('alt')];
    if (hasControl && hasAlt && (key === DELETE || key === KEYPAD_DELETE)) return 'restart';
    const text = this.#characterOf(key, keysym) ?? sequenceOf(key, keysym);
    if (text === undefined) return undefined;
    const controlled =
      hasControl && text.length === 1 && text >= '@' ? String.fromCharCode(text.charCodeAt(0) & 0x1f) : text;
    return { text: hasAlt ? `\x1b${controlled}` : controlled };
  }

  #holds(modifier: keyof typeof MODIFIER): boolean {
    return MODIFIER[modifier].some((key) => this.#held.has(key));
  }

  #characterOf(key: number, keysym: number): string | undefined {
    const [plain, shifted] = charactersOf(key) ?? [];
    if (plain === undefined || shifted === undefined) return undefined;
    const hasShift = this.#holds('shift');
    if (isLetter(keysym)) this.#hasCapsLock = isCapital(keysym) !== hasShift;
    const isShifted = plain >= 'a' && plain <= 'z' ? hasShift !== this.#hasCapsLock : hasShift;
    return isShifted ? shifted : plain;
  }
}

function isModifier(key: number): boolean {
  return Object.values(MODIFIER).some((keys: readonly number[]) => keys.includes(key));
}

function isCapital(keysym: number): boolean {
  return keysym >= 0x41 && keysym <= 0x5a;
}

function isLetter(keysym: number): boolean {
  return isCapital(keysym) || (keysym >= 0x61 && keysym <= 0x7a);
}
