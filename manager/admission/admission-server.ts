import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import type { Address, Logger } from '@groundcrew/controller-runtime';
import type { KeyPair } from '../authority/index.ts';
import { Connections, type ConnectionLimits } from './connections.ts';
import { Allowance, BodyTooLargeError, NoRoomError, readBody } from './read-body.ts';
import { answeringReview, requestIn, type AdmissionAnswer, type AdmissionRequest } from './review.ts';

/** The kind of webhook that sends the review. */
export type Phase = 'mutate' | 'validate';

export type Handler = (phase: Phase, request: AdmissionRequest) => Promise<AdmissionAnswer>;

export interface AdmissionServerOptions {
  handle: Handler;
  /** Default: 512 connections, 128 from one address. */
  connections?: ConnectionLimits;
  logger: Logger;
}

/** Maximum bytes of a review: two objects of 3 MiB, the limit of kube-apiserver, and their envelope. */
const MAX_BODY = 7 * 1024 * 1024;
/** Maximum bytes of all reviews being read. Any client that reaches the port may send, and memory is limited. */
const MAX_READING = 8 * MAX_BODY;
/**
 * Milliseconds. API servers wait 5 s for an answer, and end a connection that was idle for 90 s (client-go's transport). If this
 * server ended it first, a review that is sent at that moment would fail, and with it the user's write.
 */
const TIMEOUTS = { headers: 3_000, request: 5_000, keepAlive: 120_000 } as const;
/** API servers have a few connections each; an idle one needs about 50 kB. */
const MAX_CONNECTIONS = { all: 512, ofSource: 128 } as const;

/**
 * Answers AdmissionReviews at `/mutate` and `/validate`. Clients are not authenticated: the answers contain no more
 * than an API server returns for a dry run. Any other input gets one of a few constant answers. {@link Connections} and
 * {@link Allowance} keep room for API servers.
 */
export class AdmissionServer {
  readonly #options: AdmissionServerOptions;
  readonly #reading = new Allowance(MAX_READING);
  readonly #connections: Connections;
  #server: Server | undefined;

  constructor(options: AdmissionServerOptions) {
    this.#options = options;
    this.#connections = new Connections(options.connections ?? MAX_CONNECTIONS);
  }

  /** The port while the server listens. */
  get port(): number | undefined {
    const address = this.#server?.address();
    return typeof address === 'object' && address !== null ? address.port : undefined;
  }

  /**
   * Uses this certificate from the next handshake on; open connections are kept.
   *
   * @throws Error of node:net if the address is in use
   */
  async serve(address: Address, { cert, key }: KeyPair): Promise<void> {
    if (this.#server !== undefined) {
      this.#server.setSecureContext({ cert, key, minVersion: 'TLSv1.2' });
      return;
    }
    // An ESM import would load every built-in module that node:https references.
    const server = process.getBuiltinModule('node:https').createServer(
      {
        cert,
        key,
        minVersion: 'TLSv1.2',
        headersTimeout: TIMEOUTS.headers,
        requestTimeout: TIMEOUTS.request,
        keepAliveTimeout: TIMEOUTS.keepAlive,
        connectionsCheckingInterval: 1_000,
        handshakeTimeout: TIMEOUTS.headers,
        maxHeaderSize: 16_384,
      },
      (request, response) => {
        this.#answer(request, response).catch((error: unknown) => {
          this.#options.logger.error({ err: error }, 'a review could not be answered');
          response.destroy();
        });
      },
    );
    // Of node:net, before the handshake.
    server.on('connection', (socket: Socket) => {
      this.#connections.admit(socket);
    });
    server.on('tlsClientError', () => undefined);
    server.on('clientError', (_error, socket) => {
      socket.destroy();
    });
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(address.port, address.host, () => {
        server.off('error', reject);
        resolve();
      });
    });
  }

  /** Stops accepting reviews and completes those in progress. */
  async close(): Promise<void> {
    const server = this.#server;
    if (server?.listening !== true) return;
    await new Promise<void>((resolve) => {
      const late = setTimeout(() => {
        server.closeAllConnections();
      }, TIMEOUTS.request);
      server.close(() => {
        clearTimeout(late);
        resolve();
      });
    });
  }

  async #answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket } = message;
    if (!this.#connections.begin(socket)) {
      socket.destroy();
      return;
    }
    response.once('finish', () => {
      this.#connections.finish(socket);
    });
    const phase = phaseOf(message.url);
    const status = phase === undefined ? 404 : headProblem(message);
    const request = status ?? (await this.#read(message));
    if (phase === undefined || typeof request === 'number') {
      refuse(response, typeof request === 'number' ? request : 404);
      return;
    }
    this.#connections.evaluate(socket);
    const answer = await this.#handle(phase, request);
    if (answer === undefined) {
      refuse(response, 500);
      return;
    }
    const body = JSON.stringify(answeringReview(request.uid, answer));
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    // A kept-alive connection would delay the close.
    response.writeHead(200, this.#server?.listening === true ? headers : { ...headers, connection: 'close' });
    response.end(body);
  }

  /** The review, or the HTTP status of the error. */
  async #read(message: IncomingMessage): Promise<AdmissionRequest | 400 | 413 | 503> {
    try {
      const body = await readBody(message, MAX_BODY, this.#reading);
      return requestIn(JSON.parse(body.toString('utf8'))) ?? 400;
    } catch (error) {
      if (error instanceof NoRoomError) return 503;
      return error instanceof BodyTooLargeError ? 413 : 400;
    }
  }

  /** Undefined if the object is malformed (not from an API server) or if the Kubernetes API does not answer. */
  async #handle(phase: Phase, request: AdmissionRequest): Promise<AdmissionAnswer | undefined> {
    try {
      return await this.#options.handle(phase, request);
    } catch (error) {
      const { resource, namespace, name } = request;
      this.#options.logger.warn({ err: error, phase, resource, namespace, name }, 'a review could not be evaluated');
      return undefined;
    }
  }
}

function phaseOf(url = ''): Phase | undefined {
  const path = url.split('?')[0];
  if (path === '/mutate') return 'mutate';
  return path === '/validate' ? 'validate' : undefined;
}

/** The HTTP status of an error in the request line or headers. */
function headProblem({ method, headers }: IncomingMessage): 405 | 415 | undefined {
  if (method !== 'POST') return 405;
  return headers['content-type']?.split(';')[0]?.trim() === 'application/json' ? undefined : 415;
}

const WORDS = {
  400: 'not an AdmissionReview of admission.k8s.io/v1 that asks\n',
  404: 'not found\n',
  405: 'POST alone\n',
  413: 'too large\n',
  415: 'application/json alone\n',
  500: 'could not be evaluated\n',
  503: 'too many at a time\n',
} as const;

function refuse(response: ServerResponse, status: keyof typeof WORDS): void {
  const body = WORDS[status];
  // The rest of the body is not read.
  response.writeHead(status, { 'content-type': 'text/plain', 'content-length': body.length, connection: 'close' });
  response.end(body);
}
