import { once } from 'node:events';
import type { Socket } from 'node:net';

/**
 * Asks for something, and resolves with the connection when the answer begins: of a TLS handshake alone, the client may think
 * sooner than the server that it is there.
 */
export async function answered<T extends Socket>(socket: T): Promise<T> {
  socket.write('GET / HTTP/1.1\r\nHost: bmc\r\n\r\n');
  await once(socket, 'data');
  return socket;
}

/** All that comes until the connection ends, be it by a reset: a server that cuts a client off may leave unread what that has sent. */
export async function rest(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  socket.on('error', () => undefined);
  // `once` of node:events would fail at an error.
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
  return text;
}
