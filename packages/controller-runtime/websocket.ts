import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { ApiError, TransportError } from './errors.ts';
import { parseStatus, readStart } from './response-body.ts';
import { ACCEPT, authorized, CONNECT_TIMEOUT, type TransportOptions } from './transport.ts';

export type { WebSocket } from 'ws';

/** Maximum message size in bytes. Console messages are far smaller. */
const MOST_MESSAGE = 4 * 1024 * 1024;
/** Milliseconds of silence after which the kernel sends TCP keep-alive probes to detect a dead peer. */
const KEEP_ALIVE = 15_000;
/** Maximum bytes read of an error response. */
const MOST_REFUSAL = 64 * 1024;

/**
 * Opens a WebSocket to the API server. It is paused until the caller resumes it, because the server may send
 * immediately. A broken connection emits `error` and then `close`. A separate entry point, so that agents do not load
 * it.
 *
 * @param path path with the query
 * @throws ApiError if the server refuses, TransportError if it is unreachable
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
    // ws reports a broken open connection like a normal close, without an error.
    socket.once('error', (error) => webSocket.emit('error', error));
  });
  return await new Promise((resolve, reject) => {
    webSocket.once('open', () => {
      webSocket.pause();
      resolve(webSocket);
    });
    // After an error of an open WebSocket, `close` follows.
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
  const text = await readStart(response, MOST_REFUSAL);
  return new ApiError(`GET ${path}`, response.statusCode ?? 0, parseStatus(text));
}
