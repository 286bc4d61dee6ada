import type { WebSocket } from 'ws';

/** Ctrl-], as telnet and virtctl have it. */
const ESCAPE = 0x1d;

/** Where one types: a terminal, or anything that can be read. */
export type Keyboard = NodeJS.ReadStream;

/**
 * Joins a terminal and a console. Keys go through as they are, Ctrl-C too; the end of what is no terminal ends nothing.
 *
 * @returns `left`: by Ctrl-]; `closed`: from the other end
 */
export async function attach(
  webSocket: WebSocket,
  keyboard: Keyboard,
  screen: NodeJS.WritableStream,
): Promise<'left' | 'closed'> {
  const isRaw = keyboard.isTTY;
  if (isRaw) keyboard.setRawMode(true);
  const end = await new Promise<'left' | 'closed'>((resolve) => {
    webSocket.on('message', (data) => {
      // The default binary type is a Buffer. No more is read than the screen takes.
      if (screen.write(data as Buffer)) return;
      webSocket.pause();
      screen.once('drain', () => {
        webSocket.resume();
      });
    });
    webSocket.once('close', () => {
      resolve('closed');
    });
    keyboard.on('data', (keys: Buffer) => {
      const at = keys.indexOf(ESCAPE);
      const typed = at === -1 ? keys : keys.subarray(0, at);
      if (typed.length > 0 && webSocket.readyState === webSocket.OPEN) webSocket.send(typed);
      if (at !== -1) resolve('left');
    });
    webSocket.resume();
  });
  if (isRaw) keyboard.setRawMode(false);
  keyboard.pause();
  // Lets the process end although a pipe stays open.
  keyboard.unref();
  webSocket.close();
  return end;
}
