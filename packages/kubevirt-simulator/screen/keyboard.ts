/** Effect of a key on the guest: text, one character for each byte, or a restart. */
export type KeyStroke = { text: string } | 'restart';

/** X keysyms (`keysymdef.h`). */
const KEYSYM = { delete: 0xff_ff, keypadDelete: 0xff_9f, keypad0: 0xff_b0, keypad9: 0xff_b9 } as const;
const CONTROL = [0xff_e3, 0xff_e4];
const ALT = [0xff_e7, 0xff_e8, 0xff_e9, 0xff_ea];

/** What keys without a character send on a Linux console (terminfo `linux`). */
const SEQUENCES: Readonly<Record<number, string>> = {
  0xff_08: '\x7f',
  0xff_09: '\t',
  0xff_0d: '\r',
  0xff_8d: '\r',
  0xff_1b: '\x1b',
  0xff_50: '\x1b[1~',
  0xff_51: '\x1b[D',
  0xff_52: '\x1b[A',
  0xff_53: '\x1b[C',
  0xff_54: '\x1b[B',
  0xff_55: '\x1b[5~',
  0xff_56: '\x1b[6~',
  0xff_57: '\x1b[4~',
  0xff_63: '\x1b[2~',
  [KEYSYM.delete]: '\x1b[3~',
  [KEYSYM.keypadDelete]: '\x1b[3~',
};

/**
 * The keyboard of a guest. The client applies its own layout, Shift and AltGr: the keysym of a key is the character that
 * it types.
 */
export class Keyboard {
  readonly #held = new Set<number>();

  /** The effect of a key that goes down or up, undefined if it has none. */
  press(keysym: number, isDown: boolean): KeyStroke | undefined {
    if (CONTROL.includes(keysym) || ALT.includes(keysym)) {
      if (isDown) this.#held.add(keysym);
      else this.#held.delete(keysym);
      return undefined;
    }
    if (!isDown) return undefined;
    const hasControl = CONTROL.some((key) => this.#held.has(key));
    const hasAlt = ALT.some((key) => this.#held.has(key));
    if (hasControl && hasAlt && (keysym === KEYSYM.delete || keysym === KEYSYM.keypadDelete)) return 'restart';
    const text = SEQUENCES[keysym] ?? characterOf(keysym);
    if (text === undefined) return undefined;
    const controlled =
      hasControl && text.length === 1 && text >= '@' ? String.fromCharCode(text.charCodeAt(0) & 0x1f) : text;
    return { text: hasAlt ? `\x1b${controlled}` : controlled };
  }
}

/** In UTF-8. Keysyms of Latin-1 are its characters; those of Unicode's others are above 0x01000000. */
function characterOf(keysym: number): string | undefined {
  if (keysym >= KEYSYM.keypad0 && keysym <= KEYSYM.keypad9) return String(keysym - KEYSYM.keypad0);
  const code = keysym >= 0x01_00_01_00 && keysym <= 0x01_10_ff_ff ? keysym - 0x01_00_00_00 : keysym;
  const isCharacter = (code >= 0x20 && code <= 0x7e) || (code >= 0xa0 && code <= 0xff) || code !== keysym;
  return isCharacter ? Buffer.from(String.fromCodePoint(code), 'utf8').toString('latin1') : undefined;
}
