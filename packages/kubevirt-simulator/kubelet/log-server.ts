import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Clock, Logger } from '@groundcrew/controller-runtime';
import type { ContainerLog, LogLine } from './container-log.ts';

/** Finds the log of a container, or the reason why there is none. */
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

/** Serves kubelet's `/containerLogs/<namespace>/<pod>/<container>`, which the API server requests for `kubectl logs`. */
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
  const query = logQuery(searchParams, options.clock.now());
  const log = options.find({ namespace, name }, container, query.previous);
  if (log === 'NoPod') answer(response, 404, `pod ${name}_${namespace} not found`);
  else if (log === 'NoContainer') answer(response, 404, `container ${container} not found in pod ${name}_${namespace}`);
  else if (log === 'NoLog' && query.previous) {
    answer(response, 400, `previous terminated container "${container}" in pod "${name}" not found`);
  } else if (log === 'NoLog') answer(response, 400, `container "${container}" in pod "${name}" is waiting to start`);
  else {
    response.writeHead(200, { 'content-type': 'text/plain', 'transfer-encoding': 'chunked' });
    response.flushHeaders();
    const closed = new AbortController();
    response.once('close', () => {
      closed.abort();
    });
    await pipeline(Readable.from(readLog(log, query, closed.signal)), response);
  }
}

/** The requested part of a log (core/v1 PodLogOptions). */
export interface LogQuery {
  follow: boolean;
  previous: boolean;
  timestamps: boolean;
  tailLines: number | undefined;
  limitBytes: number | undefined;
  /** Milliseconds since 1970; older lines are left out. */
  since: number | undefined;
}

/** Reads the query of `/containerLogs`, which the API server has validated. */
export function logQuery(search: URLSearchParams, now: number): LogQuery {
  const number = (name: string): number | undefined => (search.has(name) ? Number(search.get(name)) : undefined);
  const sinceSeconds = number('sinceSeconds');
  const sinceTime = search.get('sinceTime');
  const since = sinceTime === null ? undefined : Date.parse(sinceTime);
  return {
    follow: search.get('follow') === 'true',
    previous: search.get('previous') === 'true',
    timestamps: search.get('timestamps') === 'true',
    tailLines: number('tailLines'),
    limitBytes: number('limitBytes'),
    since: sinceSeconds === undefined ? since : now - sinceSeconds * 1000,
  };
}

/** The requested text, one line at a time. */
export async function* readLog(log: ContainerLog, query: LogQuery, signal: AbortSignal): AsyncGenerator<string, void> {
  let left = query.limitBytes ?? Number.POSITIVE_INFINITY;
  for await (const line of select(log, query, signal)) {
    if (query.since !== undefined && Date.parse(line.time) < query.since) continue;
    const text = Buffer.from(query.timestamps ? `${line.time} ${line.text}\n` : `${line.text}\n`);
    yield text.subarray(0, left).toString('utf8');
    left -= text.length;
    if (left <= 0) return;
  }
}

async function* select(log: ContainerLog, query: LogQuery, signal: AbortSignal): AsyncGenerator<LogLine, void> {
  // Both start at the same time, so that no line is missing or doubled.
  const following = query.follow ? log.follow(signal) : undefined;
  const lines = log.lines();
  if (query.tailLines === undefined) yield* lines;
  else yield* await last(lines, query.tailLines);
  if (following !== undefined) yield* following;
}

async function last(lines: AsyncIterable<LogLine>, count: number): Promise<LogLine[]> {
  const kept: LogLine[] = [];
  for await (const line of lines) {
    kept.push(line);
    if (kept.length > count) kept.shift();
  }
  return kept;
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
