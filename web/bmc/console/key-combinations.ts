/** A key by its X11 symbol and its name in `KeyboardEvent.code`. */
export interface Key {
  readonly symbol: number;
  readonly code: string;
}

const CONTROL = { symbol: 0xffe3, code: 'ControlLeft' };
const ALT = { symbol: 0xffe9, code: 'AltLeft' };
const SUPER = { symbol: 0xffeb, code: 'MetaLeft' };
const DELETE = { symbol: 0xffff, code: 'Delete' };
const TAB = { symbol: 0xff09, code: 'Tab' };
const SYS_RQ = { symbol: 0xff15, code: 'PrintScreen' };

/** What Linux does for a letter with Alt and SysRq, if `kernel.sysrq` allows it. */
const SYS_RQ_LETTERS = {
  r: 'keyboard back from X',
  e: 'end processes',
  i: 'kill processes',
  s: 'write disks',
  u: 'disks read-only',
  b: 'reset',
  c: 'crash',
} as const;

/** Keys and combinations that a browser or an operating system would keep for itself. Keys are pressed in this order. */
export const COMBINATIONS: readonly { readonly label: string; readonly keys: readonly Key[] }[] = [
  { label: 'Ctrl-Alt-Del', keys: [CONTROL, ALT, DELETE] },
  { label: 'Escape', keys: [{ symbol: 0xff1b, code: 'Escape' }] },
  { label: 'Tab', keys: [TAB] },
  { label: 'Delete', keys: [DELETE] },
  { label: 'Super', keys: [SUPER] },
  ...range(12).map((number) => ({ label: `F${number}`, keys: [functionKey(number)] })),
  ...range(7).map((number) => ({ label: `Ctrl-Alt-F${number}`, keys: [CONTROL, ALT, functionKey(number)] })),
  { label: 'Ctrl-Alt-Backspace', keys: [CONTROL, ALT, { symbol: 0xff08, code: 'Backspace' }] },
  { label: 'Alt-Tab', keys: [ALT, TAB] },
  { label: 'Alt-F4', keys: [ALT, functionKey(4)] },
  ...Object.entries(SYS_RQ_LETTERS).map(([letter, effect]) => ({
    label: `Alt-SysRq-${letter.toUpperCase()} (${effect})`,
    keys: [ALT, SYS_RQ, { symbol: letter.charCodeAt(0), code: `Key${letter.toUpperCase()}` }],
  })),
];

/**
 * Whether a key that goes down completes Ctrl-Alt-Shift, by which the screen gives the keyboard back. AltGr does not
 * count: Windows reports it as Ctrl and Alt.
 */
export function isRelease(event: KeyboardEvent): boolean {
  const { code } = event;
  return (
    (event.ctrlKey || code.startsWith('Control')) &&
    (event.altKey || code === 'AltLeft') &&
    (event.shiftKey || code.startsWith('Shift')) &&
    event.key !== 'AltGraph' &&
    !event.getModifierState('AltGraph') &&
    /^(Control|Alt|Shift)/.test(code)
  );
}

function functionKey(number: number): Key {
  return { symbol: 0xffbd + number, code: `F${number}` };
}

function range(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}
