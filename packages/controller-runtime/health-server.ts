import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Logger } from './logger.ts';

/** A short description of the problem; undefined if the check passes. */
export type Check = () => string | undefined;

/** Listen address; port 0 for any free port. */
export interface Address {
  host: string;
  port: number;
}

export interface HealthServerOptions {
  /** Liveness checks. */
  healthz?: ReadonlyMap<string, Check>;
  /** Readiness checks. */
  readyz?: ReadonlyMap<string, Check>;
  metrics?: { parts(): Iterable<string> | AsyncIterable<string>; readonly contentType: string } | undefined;
  logger: Logger;
}

/** Serves kubelet's probes on `/healthz` and `/readyz`, and Prometheus metrics on `/metrics`. */
export class HealthServer {
  readonly #options: HealthServerOptions;
  readonly #server: Server;

  constructor(options: HealthServerOptions) {
    this.#options = options;
    // An ESM import would load every built-in that node:http exports, which costs 13 MB.
    this.#server = process.getBuiltinModule('node:http').createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        options.logger.error({ err: error, url: request.url }, 'a probe could not be answered');
        response.destroy();
      });
    });
  }

  /**
   * @returns the port
   * @throws an Error of node:net if the address is in use
   */
  async listen(address: Address): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(address.port, address.host, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    const bound = this.#server.address();
    return typeof bound === 'object' && bound !== null ? bound.port : address.port;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    await new Promise<void>((resolve) => {
      this.#server.close(() => {
        resolve();
      });
      this.#server.closeAllConnections();
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url?.split('?')[0];
    const { healthz, readyz, metrics } = this.#options;
    if (path === '/healthz' || path === '/livez') report(response, healthz);
    else if (path === '/readyz') report(response, readyz);
    else if (path === '/metrics' && metrics !== undefined) {
      response.writeHead(200, { 'content-type': metrics.contentType });
      for await (const part of metrics.parts()) {
        if (response.destroyed) return;
        if (!response.write(part)) await taken(response);
      }
      response.end();
    } else response.writeHead(404, { 'content-type': 'text/plain' }).end('not found\n');
  }
}

/** Resolves when the client has taken what was written, or has gone. */
async function taken(response: ServerResponse): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = (): void => {
      response.off('drain', end).off('close', end);
      resolve();
    };
    response.on('drain', end).on('close', end);
    if (response.destroyed) end();
  });
}

function report(response: ServerResponse, checks: ReadonlyMap<string, Check> = new Map()): void {
  const results = [...checks].map(([name, check]) => ({ name, problem: check() }));
  const isHealthy = results.every(({ problem }) => problem === undefined);
  const lines = results.map(({ name, problem }) =>
    problem === undefined ? `[+]${name} ok` : `[-]${name}: ${problem}`,
  );
  response.writeHead(isHealthy ? 200 : 503, { 'content-type': 'text/plain; charset=utf-8' });
  response.end([...lines, isHealthy ? 'ok' : 'failed', ''].join('\n'));
}
