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

/** All that comes until the connection ends. */
export async function rest(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  if (!socket.closed) await once(socket, 'close');
  return text;
}
