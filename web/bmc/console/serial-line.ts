import type { Terminal } from '@xterm/xterm';
import type { Client } from '../redfish/client.ts';
import { consoleUrl, SERIAL_PATH } from './console-uris.ts';
import { type Callbacks, isFocusFree, type Line } from './use-console.ts';

/** Lines that can be scrolled back. */
const SCROLLBACK = 10_000;
/** Bytes sent in one message: the BMC takes 64 KiB. */
const CHUNK = 8_192;
/** Bytes waiting in the socket, beyond which a paste waits. */
const MOST_WAITING = 65_536;

/** A terminal on the serial console. */
export interface SerialLine extends Line {
  readonly terminal: Terminal;
  /** Sends text as if it was typed. */
  send(text: string): void;
}

export async function openSerial(
  client: Client,
  element: HTMLElement,
  { isAgain, opened, ended }: Callbacks,
): Promise<SerialLine> {
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
  element.textContent = '';
  terminal.open(element);
  fit.fit();
  const size = new ResizeObserver(() => {
    fit.fit();
  });
  size.observe(element);

  const socket = new WebSocket(consoleUrl(SERIAL_PATH), client.protocols);
  socket.binaryType = 'arraybuffer';
  const encoder = new TextEncoder();
  const waiting: Uint8Array<ArrayBuffer>[] = [];
  const flush = (): void => {
    while (waiting[0] !== undefined && socket.readyState === WebSocket.OPEN) {
      if (socket.bufferedAmount > MOST_WAITING) {
        setTimeout(flush, 50);
        return;
      }
      socket.send(waiting[0]);
      waiting.shift();
    }
  };
  const send = (text: string): void => {
    if (socket.readyState !== WebSocket.OPEN) return;
    const bytes = encoder.encode(text);
    for (let at = 0; at < bytes.length; at += CHUNK) waiting.push(bytes.subarray(at, at + CHUNK));
    flush();
  };
  terminal.onData(send);
  terminal.attachCustomKeyEventHandler((event) => handlesKey(terminal, event));
  socket.addEventListener('open', () => {
    opened();
    if (!isAgain || isFocusFree()) terminal.focus();
  });
  socket.addEventListener('message', ({ data }) => {
    terminal.write(typeof data === 'string' ? data : new Uint8Array(data as ArrayBuffer));
  });
  socket.addEventListener('close', ({ code, reason }) => {
    ended(code, reason);
  });
  return {
    terminal,
    send,
    close: () => {
      size.disconnect();
      socket.close();
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
