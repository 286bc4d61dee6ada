import type { Terminal } from '@xterm/xterm';

/** Lines that can be scrolled back. */
const SCROLLBACK = 10_000;

/** Leaves the alternate screen, takes modes and colours back (DECSTR), and goes to the last line. */
const SETTLE = '\x1b[?1049l\x1b[!p\x1b[999;1H';

/** A line is higher than its characters: Chromium on Linux cuts off the lowest pixels of a line, where underscores are. */
const LINE_HEIGHT = 1.2;

/** A terminal that fills its element. It outlives the connections that write into it. */
export interface SerialTerminal {
  readonly terminal: Terminal;
  /** Call it when a connection opens. What an earlier one has shown moves up into the scrollback: the BMC begins with output that may be in it. */
  begin(): void;
  dispose(): void;
}

/** @param copy called with what the user copies by Ctrl-Shift-C */
export async function serialTerminal(element: HTMLElement, copy: (text: string) => void): Promise<SerialTerminal> {
  const [{ Terminal: XTerm }, { FitAddon }] = await Promise.all([import('@xterm/xterm'), import('@xterm/addon-fit')]);
  const terminal = new XTerm({
    scrollback: SCROLLBACK,
    fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--mono'),
    fontSize: 14,
    lineHeight: LINE_HEIGHT,
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
  terminal.attachCustomKeyEventHandler((event) => handlesKey(terminal, event, copy));
  // xterm.js has copied its selection. The next Ctrl-C is for the machine.
  element.addEventListener('copy', () => {
    terminal.clearSelection();
  });
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

/**
 * Whether the terminal handles a key. What it sends to the machine does nothing in the browser. Ctrl-Shift-C copies.
 * The browser copies by Ctrl-C if there is a selection, pastes by Ctrl-Shift-V, and leaves the terminal by Shift-Tab.
 */
function handlesKey(terminal: Terminal, event: KeyboardEvent, copy: (text: string) => void): boolean {
  const { code, ctrlKey, shiftKey } = event;
  if (code === 'Tab' && shiftKey) return false;
  if (ctrlKey && code === 'KeyC' && (shiftKey || terminal.hasSelection())) {
    if (shiftKey && event.type === 'keydown') {
      copy(terminal.getSelection());
      terminal.clearSelection();
      // Else Chromium opens its inspector.
      event.preventDefault();
    }
    return false;
  }
  if (ctrlKey && shiftKey && code === 'KeyV') return false;
  // For screen readers xterm.js leaves keys without Ctrl and Alt to the browser, which reloads the page by F5.
  if (event.type === 'keydown' && OF_THE_MACHINE.test(code) && !event.metaKey && !event.isComposing)
    event.preventDefault();
  return true;
}

const OF_THE_MACHINE = /^(F\d+|Arrow\w+|Home|End|PageUp|PageDown|Insert|Escape|Tab)$/;
