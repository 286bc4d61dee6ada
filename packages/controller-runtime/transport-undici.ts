import { Agent, type Dispatcher, ProxyAgent } from 'undici';
import {
  authorized,
  CONNECT_TIMEOUT,
  HEADERS_TIMEOUT,
  IDLE_TIMEOUT,
  KEEP_ALIVE_TIMEOUT,
  type Transport,
  type TransportOptions,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts';

export interface UndiciTransportOptions extends TransportOptions {
  /** URL of an HTTP proxy. */
  proxy?: string;
}

/** A transport over one undici agent: the fastest transport (28 MB of memory), for the manager and the sandbox. */
export function undiciTransport(options: UndiciTransportOptions): Transport {
  return new UndiciTransport(options);
}

class UndiciTransport implements Transport {
  readonly #agent: Dispatcher;
  readonly #origin: string;
  readonly #prefix: string;
  readonly #options: TransportOptions;

  constructor(options: UndiciTransportOptions) {
    const url = new URL(options.server);
    this.#origin = url.origin;
    this.#prefix = url.pathname.replace(/\/+$/, '');
    this.#options = options;
    const timeouts = { keepAliveTimeout: KEEP_ALIVE_TIMEOUT, headersTimeout: HEADERS_TIMEOUT };
    const tls = {
      timeout: CONNECT_TIMEOUT,
      ...(options.ca === undefined ? {} : { ca: options.ca }),
      ...(options.cert === undefined ? {} : { cert: options.cert }),
      ...(options.key === undefined ? {} : { key: options.key }),
      ...(options.serverName === undefined ? {} : { servername: options.serverName }),
      rejectUnauthorized: options.insecureSkipVerify !== true,
    };
    this.#agent =
      options.proxy === undefined
        ? new Agent({ ...timeouts, allowH2: false, connect: tls })
        : new ProxyAgent({ ...timeouts, allowH2: false, uri: options.proxy, requestTls: tls });
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    try {
      return await this.#attempt(request);
    } catch (error) {
      // The server closed a kept-alive connection while the request was sent; a GET is safe to repeat.
      if (request.method !== 'GET' || request.signal?.aborted === true || !isReset(error)) throw error;
      return await this.#attempt(request);
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #attempt(request: TransportRequest): Promise<TransportResponse> {
    const { statusCode, headers, body } = await this.#agent.request({
      origin: this.#origin,
      path: this.#prefix + request.path,
      method: request.method,
      headers: await authorized(request.headers, this.#options),
      body: request.body ?? null,
      signal: request.signal ?? null,
      bodyTimeout: request.idleTimeout ?? IDLE_TIMEOUT,
    });
    // The reader gets the error from the iterator, possibly later.
    body.on('error', () => undefined);
    return { status: statusCode, headers, body: settled(body) };
  }
}

/**
 * The body; ends when the connection is free again. undici needs one turn of the event loop for that; until then a new
 * request would open a second connection.
 */
async function* settled(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  yield* body;
  await new Promise((resolve) => setImmediate(resolve));
}

function isReset(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'UND_ERR_SOCKET' || error.code === 'ECONNRESET');
}
