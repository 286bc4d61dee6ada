import { once } from 'node:events';
import type { Socket } from 'node:net';

/**
 * Sends a request and resolves with the connection when the answer begins. After a TLS handshake alone, the server may not know the
 * connection yet.
 */
export async function answered<T extends Socket>(socket: T): Promise<T> {
  socket.write('GET / HTTP/1.1\r\nHost: bmc\r\n\r\n');
  await once(socket, 'data');
  return socket;
}

/** All data until the connection ends, also by a reset: a server that closes may leave data of the client unread. */
export async function rest(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  socket.on('error', () => undefined);
  // `once` of node:events would reject at an error.
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
  return text;
}
