import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { ApiError, TransportError, type Status } from './errors.ts';
import { ACCEPT, authorized, CONNECT_TIMEOUT, type TransportOptions } from './transport-options.ts';

export type { WebSocket } from 'ws';

/** Bytes of a message. What a console sends is far smaller. */
const MOST_MESSAGE = 4 * 1024 * 1024;
/** Milliseconds after which a silent connection is probed by the kernel, which finds one whose other end is gone. */
const KEEP_ALIVE = 15_000;
/** Bytes of a refusal that are read. */
const MOST_REFUSAL = 64 * 1024;

/**
 * Opens a WebSocket to the API server; it is paused until its owner resumes it, since the other side may write at once. Where the
 * connection breaks it emits `error`, and `close` after that. A face of its own, to be loaded when one is needed: agents are to
 * stay small.
 *
 * @param path with its query
 * @throws ApiError where the server refuses, TransportError where it cannot be reached
 */
export async function openWebSocket(options: TransportOptions, path: string, protocol: string): Promise<WebSocket> {
  const { server, ca, cert, key, serverName, insecureSkipVerify } = options;
  const base = server.replace(/^http/, 'ws').replace(/\/+$/, '');
  const webSocket = new WebSocket(`${base}${path}`, protocol, {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(serverName === undefined ? {} : { servername: serverName }),
    rejectUnauthorized: insecureSkipVerify !== true,
    headers: await authorized({ accept: ACCEPT }, options),
    handshakeTimeout: CONNECT_TIMEOUT,
    maxPayload: MOST_MESSAGE,
    perMessageDeflate: false,
  });
  webSocket.once('upgrade', ({ socket }) => {
    socket.setKeepAlive(true, KEEP_ALIVE);
    // ws says nothing of a connection that breaks once it is open; it is closed as one that the other side has ended.
    socket.once('error', (error) => webSocket.emit('error', error));
  });
  return await new Promise((resolve, reject) => {
    webSocket.once('open', () => {
      webSocket.pause();
      resolve(webSocket);
    });
    // Once it is open, `close` follows an error.
    webSocket.on('error', (error) => {
      reject(new TransportError(`GET ${path}: ${error.message}`, { cause: error }));
    });
    webSocket.once('unexpected-response', (request, response) => {
      refusal(path, response)
        .then(reject, (error: unknown) => {
          reject(new TransportError(`GET ${path}: ${String(error)}`, { cause: error }));
        })
        .finally(() => request.destroy());
    });
  });
}

async function refusal(path: string, response: IncomingMessage): Promise<ApiError> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response) {
    // Without an encoding set, a stream of HTTP gives Buffers.
    chunks.push(chunk as Buffer);
    length += (chunk as Buffer).length;
    if (length > MOST_REFUSAL) break;
  }
  const text = Buffer.concat(chunks).toString('utf8');
  return new ApiError(`GET ${path}`, response.statusCode ?? 0, statusIn(text) ?? text);
}

/** A Status; undefined for a proxy's words, or none. */
function statusIn(text: string): Status | undefined {
  try {
    const value = JSON.parse(text) as Partial<Status> | null;
    return value?.kind === 'Status' ? (value as Status) : undefined;
  } catch {
    return undefined;
  }
}
