import type { Terminal } from '@xterm/xterm';
import type { Client } from '../redfish/client.ts';
import { consoleUrl, SERIAL_PATH } from './console-uris.ts';
import type { Callbacks, Line } from './use-console.ts';

/** Bytes sent in one message: the BMC takes 64 KiB. */
const CHUNK = 8_192;
/** Bytes waiting in the socket, beyond which a paste waits. */
const MOST_WAITING = 65_536;

/** Connects a terminal with the serial console. */
export function openSerial(client: Client, terminal: Terminal, { takesFocus, opened, ended }: Callbacks): Line {
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
  const typed = terminal.onData(send);
  socket.addEventListener('open', () => {
    opened();
    if (takesFocus()) terminal.focus();
  });
  socket.addEventListener('message', ({ data }) => {
    terminal.write(typeof data === 'string' ? data : new Uint8Array(data as ArrayBuffer));
  });
  socket.addEventListener('close', ({ code, reason }) => {
    ended(code, reason);
  });
  return {
    close: () => {
      typed.dispose();
      socket.close();
    },
  };
}
