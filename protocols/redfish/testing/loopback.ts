import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { JsonObject } from '../json.ts';

/** A server on a free loopback port; closed with all its connections at the end of its scope. */
export interface Listening extends AsyncDisposable {
  readonly port: number;
  /** `http://127.0.0.1:12345` */
  readonly url: string;
}

export async function listening(server: Server): Promise<Listening> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Null for a closed server, a string for a pipe.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** An answer, read to its end. */
export interface Reply<T = JsonObject> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Empty if the body is not JSON. */
  readonly json: T;
}

/**
 * @param request `PATCH /redfish/v1/Systems/1`
 * @param body sent as JSON; a string is sent unchanged, without Content-Type
 */
export async function askAt<T = JsonObject>(
  url: string,
  request: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Reply<T>> {
  const [method = 'GET', path = ''] = request.split(' ');
  const isText = typeof body === 'string';
  const response = await fetch(url + path, {
    method,
    headers: { ...(body !== undefined && !isText && { 'Content-Type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: isText ? Buffer.from(body) : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true && text !== '';
  // Tests assert the contents.
  const json = (isJson ? JSON.parse(text) : {}) as T;
  return { status: response.status, headers: response.headers, text, json };
}

/** Headers of Basic authentication. */
export function basic(username: string, password: string): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}

/**
 * Sends a request and resolves with the connection when the answer begins. After only a TLS handshake, the server may not know the
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
