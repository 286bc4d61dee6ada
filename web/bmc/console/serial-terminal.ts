import type { Terminal } from '@xterm/xterm';

/** Lines that can be scrolled back. */
const SCROLLBACK = 10_000;

/** Leaves the alternate screen, takes modes and colours back (DECSTR), and goes to the last line. */
const SETTLE = '\x1b[?1049l\x1b[!p\x1b[999;1H';

/** A terminal that fills its element. It outlives the connections that write into it. */
export interface SerialTerminal {
  readonly terminal: Terminal;
  /** Call it when a connection opens. What an earlier one has shown moves up into the scrollback: the BMC begins with output that may be in it. */
  begin(): void;
  dispose(): void;
}

export async function serialTerminal(element: HTMLElement): Promise<SerialTerminal> {
  const [{ Terminal: XTerm }, { FitAddon }] = await Promise.all([import('@xterm/xterm'), import('@xterm/addon-fit')]);
  const terminal = new XTerm({
    scrollback: SCROLLBACK,
    fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--mono'),
    fontSize: 14,
    screenReaderMode: true,
    theme: { background: '#101216', foreground: '#e4e8ee' },
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  terminal.open(element);
  fit.fit();
  const size = new ResizeObserver(() => {
    fit.fit();
  });
  size.observe(element);
  terminal.attachCustomKeyEventHandler((event) => handlesKey(terminal, event));
  let hasBegun = false;
  return {
    terminal,
    begin: () => {
      if (hasBegun) terminal.write(`${SETTLE}${'\n'.repeat(terminal.rows)}\x1b[H`);
      hasBegun = true;
    },
    dispose: () => {
      size.disconnect();
      terminal.dispose();
    },
  };
}

/** Ctrl-Shift-C copies, and so does Ctrl-C with a selection; Ctrl-Shift-V is the browser's own paste. */
function handlesKey(terminal: Terminal, event: KeyboardEvent): boolean {
  const isCopy = event.ctrlKey && event.code === 'KeyC' && (event.shiftKey || terminal.hasSelection());
  if (isCopy && event.type === 'keydown') {
    void navigator.clipboard.writeText(terminal.getSelection());
    terminal.clearSelection();
    event.preventDefault();
  }
  const isPaste = event.ctrlKey && event.shiftKey && event.code === 'KeyV';
  return !isCopy && !isPaste;
}
