import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { AgentOptions } from 'node:https';
import { ConnectionTurns } from './connection-turns.ts';
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

/** Maximum number of idle connections, which end after a minute. Fewer would be closed and made again all the time in a storm. */
const MAX_IDLE = 32;

/**
 * Reads that were given up and whose connections wait for the answer, and for how many milliseconds: a new connection costs a TLS handshake,
 * for which an API server in a storm takes seconds.
 */
const GIVEN_UP = { most: 8, timeout: 10_000 };

/** A transport over Node's own HTTPS client: the smallest transport (8 MB), for agents. */
export function httpsTransport(options: TransportOptions): Transport {
  return new HttpsTransport(options);
}

interface Connections {
  agent: Agent;
  turns: ConnectionTurns;
}

class HttpsTransport implements Transport {
  /** Of urgent requests. */
  readonly #apart: Connections;
  readonly #others: Connections;
  readonly #send: (options: RequestOptions) => ClientRequest;
  readonly #target: Pick<RequestOptions, 'hostname' | 'port' | 'protocol'>;
  readonly #prefix: string;
  readonly #options: TransportOptions;
  readonly #givenUp = new Set<ClientRequest>();

  constructor(options: TransportOptions) {
    const url = new URL(options.server);
    // An ESM import would load every built-in that node:http exports, which costs 13 MB.
    const http = process.getBuiltinModule('node:http');
    const https = process.getBuiltinModule('node:https');
    const secure = url.protocol === 'https:';
    const agentOptions = secure ? tlsAgentOptions(options) : AGENT_OPTIONS;
    const connections = (): Connections => {
      const agent = secure ? new https.Agent(agentOptions) : new http.Agent(agentOptions);
      return { agent, turns: new ConnectionTurns(agent) };
    };
    this.#apart = connections();
    this.#others = connections();
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
    const { agent, turns } = request.isUrgent === true ? this.#apart : this.#others;
    for (let stale = 0; ; stale += 1) {
      const headers = await authorized(request.headers, this.#options);
      if (request.body !== undefined) headers['content-length'] = String(Buffer.byteLength(request.body));
      const hasConnection = await turns.turn(request.signal);
      let sent: ClientRequest | undefined;
      try {
        const { method } = request;
        sent = this.#send({ ...this.#target, agent, method, path: this.#prefix + request.path, headers });
        return await exchange(sent, request, { givenUp: this.#givenUp, hasConnection });
      } catch (error) {
        // The server closed a kept-alive connection while the request was sent; a GET is safe to repeat.
        const again = request.method === 'GET' && sent?.reusedSocket === true && request.signal?.aborted !== true;
        if (!again || stale >= MAX_STALE) throw error;
      } finally {
        hasConnection();
      }
    }
  }

  close(): Promise<void> {
    for (const { agent } of [this.#apart, this.#others]) agent.destroy();
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

/**
 * Sends a request and resolves with the response head.
 *
 * @param ways.givenUp the reads of the transport that were given up and keep their connections
 * @param ways.hasConnection called when it has its connection
 */
function exchange(
  sent: ClientRequest,
  request: TransportRequest,
  { givenUp, hasConnection }: { givenUp: Set<ClientRequest>; hasConnection: () => void },
): Promise<TransportResponse> {
  const { signal } = request;
  return new Promise((resolve, reject) => {
    let isAnswered = false;
    const abort = (): void => {
      const reason = signal?.reason instanceof Error ? signal.reason : new Error('aborted');
      if (isAnswered || !isRead(request) || givenUp.size >= GIVEN_UP.most) {
        sent.destroy(reason);
        return;
      }
      givenUp.add(sent);
      clearTimeout(deadline);
      deadline = giveUp(GIVEN_UP.timeout, 'answer');
      reject(reason);
    };
    const giveUp = (milliseconds: number, waitingFor: string): NodeJS.Timeout =>
      setTimeout(() => {
        sent.destroy(new Error(`no ${waitingFor} within ${milliseconds / 1000} s`));
      }, milliseconds);
    let deadline = giveUp(CONNECT_TIMEOUT, 'connection');
    const connected = (): void => {
      hasConnection();
      if (givenUp.has(sent)) return;
      clearTimeout(deadline);
      deadline = giveUp(HEADERS_TIMEOUT, 'answer');
    };
    signal?.addEventListener('abort', abort, { once: true });
    sent.once('close', () => {
      clearTimeout(deadline);
      givenUp.delete(sent);
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
      if (givenUp.has(sent)) {
        response.resume();
        return;
      }
      isAnswered = true;
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        body: settled(chunks(response, request.idleTimeout ?? IDLE_TIMEOUT), sent),
      });
    });
    sent.end(request.body);
  });
}

/** Whether it changes nothing, and its answer ends. */
function isRead({ method, path }: TransportRequest): boolean {
  return method === 'GET' && !path.includes('watch=true');
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
