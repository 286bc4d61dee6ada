/** A key by its X11 symbol and its name in `KeyboardEvent.code`. */
export interface Key {
  readonly symbol: number;
  readonly code: string;
}

const CONTROL = { symbol: 0xffe3, code: 'ControlLeft' };
const ALT = { symbol: 0xffe9, code: 'AltLeft' };
const SUPER = { symbol: 0xffeb, code: 'MetaLeft' };

/** Combinations that a browser or an operating system would keep for itself. Keys are pressed in this order. */
export const COMBINATIONS: readonly { readonly label: string; readonly keys: readonly Key[] }[] = [
  { label: 'Ctrl-Alt-Del', keys: [CONTROL, ALT, { symbol: 0xffff, code: 'Delete' }] },
  ...[1, 2, 3, 4, 5, 6, 7].map((number) => ({
    label: `Ctrl-Alt-F${number}`,
    keys: [CONTROL, ALT, { symbol: 0xffbd + number, code: `F${number}` }],
  })),
  { label: 'Ctrl-Alt-Backspace', keys: [CONTROL, ALT, { symbol: 0xff08, code: 'Backspace' }] },
  { label: 'Alt-Tab', keys: [ALT, { symbol: 0xff09, code: 'Tab' }] },
  { label: 'Alt-F4', keys: [ALT, { symbol: 0xffc1, code: 'F4' }] },
  { label: 'Alt-SysRq', keys: [ALT, { symbol: 0xff15, code: 'PrintScreen' }] },
  { label: 'Super', keys: [SUPER] },
  { label: 'Escape', keys: [{ symbol: 0xff1b, code: 'Escape' }] },
];

/** Characters that can be typed at once: more takes too long to be meant. */
export const MOST_TYPED = 10_000;

/** X11 symbols of a text's characters (keysym encoding of the X protocol, appendix A); those without one are left out. */
export function symbolsOf(text: string): number[] {
  return Array.from(text.replaceAll('\r\n', '\n'))
    .slice(0, MOST_TYPED)
    .flatMap((character) => {
      const point = character.codePointAt(0) ?? 0;
      if (character === '\n' || character === '\r') return 0xff0d;
      if (character === '\t') return 0xff09;
      if (point < 0x20 || (point >= 0x7f && point < 0xa0)) return [];
      return point < 0x100 ? point : 0x0100_0000 + point;
    });
}
