import type { IncomingMessage, RequestListener, Server as HttpServer, ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import { type AddressInfo, isIPv6, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Connections, sourceOf } from './connections.ts';
import { sniff } from './first-byte.ts';
import { DEFAULT_LIMITS, type HttpsLimits } from './limits.ts';
import { redirectToHttps } from './redirect.ts';
import { refuse } from './refuse.ts';
import { TLS_OPTIONS } from './tls-options.ts';

export interface RedfishHttpsOptions {
  /** Local addresses, IPv4 and IPv6. */
  addresses: readonly string[];
  /** Of TLS, the same on all of them; 0 lets the system choose one for the first address. */
  port: number;
  /** Of plain HTTP; undefined: it is not served. */
  httpPort?: number;
  handler: RequestListener;
  /** What goes wrong while it runs, clients' faults apart. It runs on. */
  onError: (error: Error) => void;
  limits?: Partial<HttpsLimits>;
}

/**
 * Serves a Redfish service by HTTPS, with TLS 1.2 or above and a certificate that can be changed at any time, and by HTTP where
 * that is wanted. Who talks plain HTTP to the TLS port is redirected. Clients that are slow, greedy or broken cost what
 * {@link HttpsLimits} says and no more.
 */
export class RedfishHttpsEndpoint {
  readonly #options: RedfishHttpsOptions;
  readonly #limits: HttpsLimits;
  readonly #connections = new Connections();
  readonly #https: HttpsServer;
  readonly #http: HttpServer;
  /** Connections that came to the TLS port without TLS. */
  readonly #astray = new WeakSet<Socket>();
  /** Of TLS, and of plain HTTP. */
  readonly #listeners: Server[] = [];
  readonly #plainListeners: Server[] = [];
  /** Connections that came to the port of plain HTTP. */
  readonly #plain = new Set<Socket>();
  /** Those of them that end with the next answer, since plain HTTP is not served any more. */
  readonly #leaving = new WeakSet<Socket>();
  #port = 0;
  #httpPort: number | undefined;
  #isClosing = false;
  #closed: Promise<unknown> = Promise.resolve();
  /** Those that are not finished. */
  readonly #answers = new Set<ServerResponse>();

  constructor(options: RedfishHttpsOptions) {
    this.#options = options;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    const { headerBytes, handshake, headers, request, keepAlive, checks } = this.#limits;
    const common = {
      maxHeaderSize: headerBytes,
      headersTimeout: headers,
      requestTimeout: request,
      keepAliveTimeout: keepAlive,
      connectionsCheckingInterval: checks,
      noDelay: true,
    };
    // An ESM import would load every built-in that it names, into processes that may have no Redfish to serve.
    const { createServer: createHttpsServer } = process.getBuiltinModule('node:https');
    const { createServer: createHttpServer } = process.getBuiltinModule('node:http');
    this.#https = createHttpsServer({ ...common, ...TLS_OPTIONS, handshakeTimeout: handshake });
    this.#http = createHttpServer(common);
    this.#https.on('secureConnection', this.#serve);
    this.#http.on('connection', this.#serve);
    for (const server of [this.#https, this.#http]) {
      server.maxRequestsPerSocket = this.#limits.requestsPerConnection;
      server.timeout = this.#limits.silence;
      server.on('request', this.#handle);
      server.on('clientError', this.#clientError);
      server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
        refuse(socket, 'HPE_INVALID_METHOD');
      });
      // They are given connections instead of listening by themselves, and look after timeouts from this event on.
      server.emit('listening');
    }
  }

  /** Port of TLS that is bound; 0 before {@link start}. */
  get port(): number {
    return this.#port;
  }

  /** Port of plain HTTP that is bound, where it is served. */
  get httpPort(): number | undefined {
    return this.#httpPort;
  }

  /** Connections that are open. */
  get connectionCount(): number {
    return this.#connections.size;
  }

  /**
   * Serves this certificate to those who connect from now on; connections that there are go on. Without one no TLS handshake
   * succeeds.
   *
   * @param pair PEM: the private key, and the certificate with those between it and its root
   * @throws Error of `node:tls` where they cannot be read or do not belong together; what was served before is served on
   */
  setCertificate({ key, cert }: { key: string; cert: string }): void {
    this.#https.setSecureContext({ ...TLS_OPTIONS, key, cert });
  }

  /** Binds all addresses, or none. @throws Error of `node:net`, such as `EADDRINUSE`; where it is closed meanwhile */
  async start(): Promise<void> {
    const { port, httpPort } = this.#options;
    try {
      this.#port = await this.#listen(port, this.#accept, this.#listeners);
      await this.serveHttp(httpPort);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /**
   * Serves plain HTTP at this port, 0 for any, from now on; undefined: not any more, and its connections end as they do where all drain.
   * Those of TLS do not notice.
   *
   * @throws Error of `node:net`, such as `EADDRINUSE`; plain HTTP is not served then
   */
  async serveHttp(port: number | undefined): Promise<void> {
    if (port === undefined) {
      this.#endHttp();
      return;
    }
    if (this.#httpPort !== undefined) return;
    try {
      this.#httpPort = await this.#listen(port, this.#acceptPlain, this.#plainListeners);
    } catch (error) {
      this.#endHttp();
      throw error;
    }
  }

  /**
   * Stops listening, and ends connections that wait for no answer at once, and the others when they are answered: whoever answers with
   * a stream has to end it.
   */
  drain(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    const listeners = [...this.#listeners.splice(0), ...this.#plainListeners.splice(0)];
    this.#closed = Promise.all(
      listeners.map(async (listener) => {
        await new Promise((resolve) => listener.close(resolve));
      }),
    );
    for (const answer of this.#answers) if (!answer.headersSent) answer.setHeader('Connection', 'close');
    while (this.#connections.makeRoom());
  }

  /** Drains, and cuts after a time what is open still. */
  async close(): Promise<void> {
    this.drain();
    const timer = setTimeout(() => {
      this.#connections.destroy();
    }, this.#limits.close);
    await this.#closed;
    clearTimeout(timer);
    for (const server of [this.#https, this.#http]) server.close();
  }

  #endHttp(): void {
    this.#httpPort = undefined;
    for (const listener of this.#plainListeners.splice(0)) listener.close();
    const leaving = [...this.#plain];
    for (const socket of leaving) {
      this.#leaving.add(socket);
      if (this.#connections.isIdle(socket)) socket.destroy();
    }
    for (const answer of this.#answers) {
      if (!answer.headersSent && this.#isEnding(answer.req.socket)) answer.setHeader('Connection', 'close');
    }
    // Streams of events end for nothing else.
    const cut = setTimeout(() => {
      for (const socket of leaving) socket.destroy();
    }, this.#limits.close);
    cut.unref();
  }

  #isEnding(socket: Socket): boolean {
    return this.#isClosing || this.#leaving.has(socket);
  }

  async #listen(port: number, accept: (socket: Socket) => void, listeners: Server[]): Promise<number> {
    const { addresses, onError } = this.#options;
    const { createServer } = process.getBuiltinModule('node:net');
    let bound = port;
    for (const host of addresses) {
      const listener = createServer(accept);
      await new Promise<void>((resolve, reject) => {
        listener.once('error', reject);
        listener.listen({ host, port: bound, ipv6Only: isIPv6(host) }, () => {
          listener.off('error', reject);
          resolve();
        });
      });
      listener.on('error', onError);
      if (this.#isClosing) {
        await new Promise((resolve) => listener.close(resolve));
        throw new Error('the endpoint was closed while it was being started');
      }
      listeners.push(listener);
      // Null and strings are for servers that do not listen, and for pipes.
      bound = (listener.address() as AddressInfo).port;
    }
    return bound;
  }

  readonly #accept = (socket: Socket): void => {
    if (!this.#admit(socket)) return;
    sniff(socket, this.#limits.handshake, (isTls) => {
      if (!isTls) this.#astray.add(socket);
      (isTls ? this.#https : this.#http).emit('connection', socket);
    });
  };

  readonly #acceptPlain = (socket: Socket): void => {
    if (!this.#admit(socket)) return;
    this.#plain.add(socket);
    socket.once('close', () => this.#plain.delete(socket));
    this.#http.emit('connection', socket);
  };

  /** Who is one too many takes the place of a connection that waits for no answer, or gets none. */
  #admit(socket: Socket): boolean {
    const source = sourceOf(socket);
    const { connections, connectionsPerSource } = this.#limits;
    const isGreedy = this.#connections.countOf(source) >= connectionsPerSource;
    const isFull = this.#connections.size >= connections;
    const hasRoom = isGreedy ? this.#connections.makeRoom(source) : !isFull || this.#connections.makeRoom();
    if (!hasRoom) {
      socket.destroy();
      return false;
    }
    // Whoever resets a connection has it closed, and nothing else is to be done.
    socket.on('error', () => undefined);
    this.#connections.add(socket);
    return true;
  }

  readonly #serve = (socket: Socket): void => {
    if (this.#isClosing) socket.destroy();
    else this.#connections.serve(socket);
  };

  readonly #handle = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    if (this.#isEnding(socket)) response.setHeader('Connection', 'close');
    const end = this.#connections.begin(socket);
    this.#answers.add(response);
    response.once('close', () => {
      this.#answers.delete(response);
      end();
      // Those that the client sent on after it are of no interest any more.
      if (this.#isEnding(socket) && this.#connections.isIdle(socket)) socket.end(() => socket.destroy());
    });
    // All that is asked at once is worked on at once, and the answers wait in memory for one another.
    const unanswered = this.#connections.unansweredOn(socket) ?? 0;
    if (unanswered > this.#limits.pipelined) socket.destroy();
    else if (this.#astray.has(socket)) redirectToHttps(request, response);
    else this.#options.handler(request, response);
  };

  /** Also called for TLS handshakes that failed, on whose socket nothing can be said. */
  readonly #clientError = (error: Error & { code?: string }, socket: Duplex): void => {
    const { code = '' } = error;
    const isOfHttp = code.startsWith('HPE_') || code === 'ERR_HTTP_REQUEST_TIMEOUT';
    // In the middle of an answer, another one would be read as part of it.
    const canAnswer = isOfHttp && socket.writable && this.#connections.isIdle(socket);
    if (canAnswer) refuse(socket, code);
    else socket.destroy();
  };
}
