import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { AgentOptions } from 'node:https';
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

/** Maximum number of stale kept-alive connections that one GET may hit before it fails. */
const MAX_STALE = 3;

/** Maximum number of idle connections: one costs 100 kB, and a burst of requests opens many. */
const MAX_IDLE = 8;

/** A transport over Node's own HTTPS client: the smallest transport (8 MB), for agents. */
export function httpsTransport(options: TransportOptions): Transport {
  return new HttpsTransport(options);
}

/**
 * Requests with a connection of their own. In a storm all others are taken or given up, and a new one takes longer than a renewal may.
 */
const APART = /^\/apis\/coordination\.k8s\.io\/[^/]+\/namespaces\/[^/]+\/leases\//;

class HttpsTransport implements Transport {
  readonly #agent: Agent;
  readonly #apart: Agent;
  readonly #send: (options: RequestOptions) => ClientRequest;
  readonly #target: Pick<RequestOptions, 'hostname' | 'port' | 'protocol'>;
  readonly #prefix: string;
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    const url = new URL(options.server);
    // An ESM import would load every built-in that node:http exports, which costs 13 MB.
    const http = process.getBuiltinModule('node:http');
    const https = process.getBuiltinModule('node:https');
    const secure = url.protocol === 'https:';
    const agentOptions = secure ? tlsAgentOptions(options) : AGENT_OPTIONS;
    const newAgent = (): Agent => (secure ? new https.Agent(agentOptions) : new http.Agent(agentOptions));
    this.#agent = newAgent();
    this.#apart = newAgent();
    this.#send = secure ? https.request : http.request;
    this.#target = {
      protocol: url.protocol,
      hostname: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? (secure ? 443 : 80) : url.port,
    };
    this.#prefix = url.pathname.replace(/\/+$/, '');
    this.#options = options;
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    for (let stale = 0; ; stale += 1) {
      const headers = await authorized(request.headers, this.#options);
      request.signal?.throwIfAborted();
      if (request.body !== undefined) headers['content-length'] = String(Buffer.byteLength(request.body));
      const sent = this.#send({
        ...this.#target,
        agent: APART.test(request.path) ? this.#apart : this.#agent,
        method: request.method,
        path: this.#prefix + request.path,
        headers,
      });
      try {
        return await exchange(sent, request);
      } catch (error) {
        // The server closed a kept-alive connection while the request was sent; a GET is safe to repeat.
        const again = request.method === 'GET' && sent.reusedSocket && request.signal?.aborted !== true;
        if (!again || stale >= MAX_STALE) throw error;
      }
    }
  }

  close(): Promise<void> {
    this.#agent.destroy();
    this.#apart.destroy();
    return Promise.resolve();
  }
}

const AGENT_OPTIONS: AgentOptions = {
  keepAlive: true,
  maxFreeSockets: MAX_IDLE,
  // Timeout of idle connections; connections in use only emit an event without a listener.
  timeout: KEEP_ALIVE_TIMEOUT,
};

/** All connections share one TLS context: to parse the certificates for each costs more than the request. */
function tlsAgentOptions({ ca, cert, key, serverName, insecureSkipVerify }: TransportOptions): AgentOptions {
  const secureContext = process.getBuiltinModule('node:tls').createSecureContext({
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  });
  return {
    ...AGENT_OPTIONS,
    secureContext,
    ...(serverName === undefined ? {} : { servername: serverName }),
    rejectUnauthorized: insecureSkipVerify !== true,
  };
}

/** Sends a request and resolves with the response head. */
function exchange(sent: ClientRequest, request: TransportRequest): Promise<TransportResponse> {
  const { signal } = request;
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      sent.destroy(signal?.reason instanceof Error ? signal.reason : new Error('aborted'));
    };
    const giveUp = (milliseconds: number, waitingFor: string): NodeJS.Timeout =>
      setTimeout(() => {
        sent.destroy(new Error(`no ${waitingFor} within ${milliseconds / 1000} s`));
      }, milliseconds);
    let deadline = giveUp(CONNECT_TIMEOUT, 'connection');
    const connected = (): void => {
      clearTimeout(deadline);
      deadline = giveUp(HEADERS_TIMEOUT, 'answer');
    };
    signal?.addEventListener('abort', abort, { once: true });
    sent.once('close', () => {
      clearTimeout(deadline);
      signal?.removeEventListener('abort', abort);
    });
    sent.once('socket', (socket) => {
      if (!socket.connecting) connected();
      else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', connected);
    });
    sent.on('error', reject);
    sent.once('response', (response) => {
      clearTimeout(deadline);
      // The reader gets the error from the iterator, possibly later.
      response.on('error', () => undefined);
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        body: settled(chunks(response, request.idleTimeout ?? IDLE_TIMEOUT), sent),
      });
    });
    sent.end(request.body);
  });
}

/**
 * The body; ends when the connection is free again. A response may arrive before the event that its request has been
 * sent, which follows within one turn of the event loop. Until then the connection counts as in use, and the next
 * request would open a second connection.
 */
async function* settled(body: AsyncIterable<Uint8Array>, sent: ClientRequest): AsyncGenerator<Uint8Array, void> {
  yield* body;
  if (!sent.writableFinished) await new Promise((resolve) => setImmediate(resolve));
}

/** The body; the idle timeout runs only while a reader waits for data, not while the reader is busy. */
async function* chunks(response: IncomingMessage, idleTimeout: number): AsyncGenerator<Uint8Array, void> {
  const stalled = (): void => {
    response.destroy(new Error(`no data for ${idleTimeout / 1000} s`));
  };
  const wait = (): NodeJS.Timeout | undefined => (idleTimeout === 0 ? undefined : setTimeout(stalled, idleTimeout));
  let timer = wait();
  try {
    for await (const chunk of response) {
      clearTimeout(timer);
      // Without an encoding, an HTTP stream yields Buffers.
      yield chunk as Buffer;
      timer = wait();
    }
  } finally {
    clearTimeout(timer);
  }
}
