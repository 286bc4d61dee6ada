import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Clock, Logger } from '@groundcrew/controller-runtime';
import type { ContainerLog } from './container-log.ts';
import { parseLogQuery, readLog } from './log-query.ts';

/** A container's log as it is looked up by name. */
export type FindLog = (
  pod: { namespace: string; name: string },
  container: string,
  previous: boolean,
) => ContainerLog | 'NoPod' | 'NoContainer' | 'NoLog';

export interface LogServerOptions {
  host: string;
  certificate: string;
  key: string;
  find: FindLog;
  clock: Clock;
  logger: Logger;
}

export interface LogServer {
  readonly port: number;
  close(): Promise<void>;
}

const PATH = /^\/containerLogs\/([^/]+)\/([^/]+)\/([^/]+)$/;

/** kubelet's `/containerLogs/<namespace>/<pod>/<container>`, which the API server asks for `kubectl logs`. */
export async function startLogServer(options: LogServerOptions): Promise<LogServer> {
  const { host, certificate, key, logger } = options;
  const server = createServer({ cert: certificate, key }, (request, response) => {
    handle(request, response, options).catch((error: unknown) => {
      logger.debug({ err: error, url: request.url }, 'a log request ended early');
      response.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, host, resolve);
  });
  // The address of a TCP server is never a string.
  const { port } = server.address() as AddressInfo;
  return { port, close: () => close(server) };
}

async function handle(request: IncomingMessage, response: ServerResponse, options: LogServerOptions): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'https://kubelet');
  const match = PATH.exec(pathname);
  if (request.method !== 'GET' || match === null) {
    answer(response, 404, '404 page not found');
    return;
  }
  const [namespace = '', name = '', container = ''] = match.slice(1).map(decodeURIComponent);
  let query;
  try {
    query = parseLogQuery(searchParams, options.clock.now());
  } catch (error) {
    answer(response, 400, error instanceof Error ? error.message : String(error));
    return;
  }
  const log = options.find({ namespace, name }, container, query.previous);
  if (typeof log === 'string') {
    refuse(response, log, { namespace, name, container, previous: query.previous });
    return;
  }
  response.writeHead(200, { 'content-type': 'text/plain', 'transfer-encoding': 'chunked' });
  response.flushHeaders();
  const closed = new AbortController();
  response.once('close', () => {
    closed.abort();
  });
  await pipeline(Readable.from(readLog(log, query, closed.signal)), response);
}

function refuse(
  response: ServerResponse,
  why: 'NoPod' | 'NoContainer' | 'NoLog',
  { namespace, name, container, previous }: { namespace: string; name: string; container: string; previous: boolean },
): void {
  if (why === 'NoPod') answer(response, 404, `pod ${name}_${namespace} not found`);
  else if (why === 'NoContainer') answer(response, 404, `container ${container} not found in pod ${name}_${namespace}`);
  else if (previous) answer(response, 400, `previous terminated container "${container}" in pod "${name}" not found`);
  else answer(response, 400, `container "${container}" in pod "${name}" is waiting to start`);
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`);
}

async function close(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}
