import type { WebSocket } from 'ws';

/** Ctrl-], as in telnet and virtctl. */
const ESCAPE = 0x1d;

/** The input: a terminal, a pipe, or a file, which has no `unref`. */
export type Keyboard = Omit<NodeJS.ReadStream, 'unref'> & Partial<Pick<NodeJS.ReadStream, 'unref'>>;

/**
 * Connects an input and a screen to a console. Keys are sent unchanged, including Ctrl-C. If the input is not a
 * terminal, its end does not end the console.
 *
 * @returns `left`: the user pressed Ctrl-]; `closed`: the other side ended the connection
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
      // The default binary type is a Buffer. Stop reading while the screen is full.
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
  // Lets the process end while a pipe is still open.
  keyboard.unref?.();
  webSocket.close();
  return end;
}
