import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Connections, DEFAULT_LIMITS, type HttpsLimits, sniff, sourceOf } from './connections.ts';
import { redirectToHttps, refuse } from './refuse.ts';
import { RestingServers } from './resting-servers.ts';
import { listen } from './servers.ts';

export interface RedfishHttpsOptions {
  /** Local addresses, IPv4 and IPv6. */
  addresses: readonly string[];
  /** TLS port, the same on all addresses; 0 lets the system choose one for the first address. */
  port: number;
  /** Port of plain HTTP; undefined: not served. */
  httpPort?: number;
  handler: RequestListener;
  /** Requests with `Upgrade`; absent: they are answered by `handler`. */
  upgrades?: Upgrades;
  /** Called for errors while running, except errors of clients. The endpoint continues. */
  onError: (error: Error) => void;
  limits?: Partial<HttpsLimits>;
  /** Calls `start` for a new connection when it may begin, such as with its TLS handshake, or `refuse`. Default: at once. */
  admit?: (start: () => void, refuse: () => void) => void;
}

/** What takes connections over from HTTP. It ends them when the endpoint drains. */
export interface Upgrades {
  /** Whether `handle` gets the request; `handler` gets the others. */
  accepts(request: IncomingMessage): boolean;
  handle(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** Plain HTTP connections on the TLS port, of all endpoints. */
const astray = new WeakSet<Socket>();
/** Plain HTTP connections that end with the next answer, because plain HTTP was disabled. */
const leaving = new WeakSet<Socket>();

/**
 * Serves Redfish by HTTPS with TLS 1.2 or above and a replaceable certificate, and optionally by HTTP. Plain HTTP on the TLS port
 * is redirected. {@link HttpsLimits} bound the resources that clients can use.
 */
export class RedfishHttpsEndpoint {
  readonly #options: RedfishHttpsOptions;
  readonly #limits: HttpsLimits;
  readonly #connections = new Connections();
  readonly #servers: RestingServers;
  /** Listeners of TLS and of plain HTTP. */
  readonly #listeners: Server[] = [];
  readonly #plainListeners: Server[] = [];
  /** Connections on the plain HTTP port. */
  readonly #plain = new Set<Socket>();
  #port = 0;
  #httpPort: number | undefined;
  #isClosing = false;
  #closed: Promise<unknown> = Promise.resolve();

  constructor(options: RedfishHttpsOptions) {
    this.#options = options;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#servers = new RestingServers({
      limits: this.#limits,
      handlers: {
        onConnection: this.#serve,
        onRequest: this.#handle,
        acceptsUpgrade: this.#acceptsUpgrade,
        onUpgrade: this.#upgrade,
        onClientError: this.#clientError,
      },
      isIdle: () => this.#connections.size === 0,
    });
  }

  /** Bound TLS port; 0 before {@link start}. */
  get port(): number {
    return this.#port;
  }

  /** Bound port of plain HTTP, if served. */
  get httpPort(): number | undefined {
    return this.#httpPort;
  }

  /** Number of open connections. */
  get connectionCount(): number {
    return this.#connections.size;
  }

  /**
   * Uses this certificate for new connections; existing ones continue. Without a certificate every TLS handshake fails.
   *
   * @param pair PEM: private key, and certificate with its intermediates
   * @throws Error of `node:tls` if they cannot be parsed or do not match; the previous certificate stays in use
   */
  setCertificate({ key, cert }: { key: string; cert: string }): void {
    this.#servers.setCertificate({ key, cert });
  }

  /** Binds all addresses or none. @throws Error of `node:net`, such as `EADDRINUSE`, or if closed meanwhile */
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
   * Serves plain HTTP at this port, 0 for any; undefined: stops it and drains its connections. TLS connections are not affected.
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

  /** Stops listening, closes idle connections at once and others after their answers. Streams must be ended by their owner. */
  drain(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    const listeners = [...this.#listeners.splice(0), ...this.#plainListeners.splice(0)];
    this.#closed = Promise.all(
      listeners.map(async (listener) => {
        await new Promise((resolve) => listener.close(resolve));
      }),
    );
    for (const answer of this.#connections.answers()) if (!answer.headersSent) answer.setHeader('Connection', 'close');
    while (this.#connections.makeRoom());
  }

  /** Drains, then destroys the remaining connections after a timeout. */
  async close(): Promise<void> {
    this.drain();
    const timer = setTimeout(() => {
      this.#connections.destroy();
    }, this.#limits.close);
    await this.#closed;
    clearTimeout(timer);
    this.#servers.close();
  }

  #endHttp(): void {
    this.#httpPort = undefined;
    for (const listener of this.#plainListeners.splice(0)) listener.close();
    const ending = [...this.#plain];
    for (const socket of ending) {
      leaving.add(socket);
      if (this.#connections.isIdle(socket)) socket.destroy();
    }
    for (const answer of this.#connections.answers()) {
      if (!answer.headersSent && this.#isEnding(answer.req.socket)) answer.setHeader('Connection', 'close');
    }
    // Event streams end only this way.
    const cut = setTimeout(() => {
      for (const socket of ending) socket.destroy();
    }, this.#limits.close);
    cut.unref();
  }

  #isEnding(socket: Socket): boolean {
    return this.#isClosing || leaving.has(socket);
  }

  async #listen(port: number, accept: (socket: Socket) => void, listeners: Server[]): Promise<number> {
    const { addresses, onError } = this.#options;
    let bound = port;
    for (const host of addresses) {
      const listener = await listen({ host, port: bound }, accept);
      listener.on('error', onError);
      if (this.#isClosing) {
        await new Promise((resolve) => listener.close(resolve));
        throw new Error('the endpoint was closed while it was being started');
      }
      listeners.push(listener);
      // Null for a closed server, a string for a pipe.
      bound = (listener.address() as AddressInfo).port;
    }
    return bound;
  }

  readonly #accept = (socket: Socket): void => {
    if (!this.#admit(socket)) return;
    this.#begin(socket, () => {
      sniff(socket, this.#limits.handshake, (isTls) => {
        if (isTls) {
          this.#servers.serveTls(socket);
          return;
        }
        astray.add(socket);
        this.#servers.servePlain(socket);
      });
    });
  };

  readonly #acceptPlain = (socket: Socket): void => {
    if (!this.#admit(socket)) return;
    this.#plain.add(socket);
    socket.once('close', () => this.#plain.delete(socket));
    this.#begin(socket, () => {
      this.#servers.servePlain(socket);
    });
  };

  #begin(socket: Socket, start: () => void): void {
    const { admit } = this.#options;
    if (admit === undefined) {
      start();
      return;
    }
    admit(
      () => {
        if (!socket.destroyed) start();
      },
      () => socket.destroy(),
    );
  }

  /** Above the limit, a new connection replaces one without a pending answer, or is refused. */
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
    // A connection reset needs no further handling.
    socket.on('error', () => undefined);
    this.#connections.add(socket);
    socket.once('close', () => {
      if (this.#connections.size === 0) this.#servers.restLater();
    });
    return true;
  }

  readonly #serve = (socket: Socket): void => {
    if (this.#isClosing) socket.destroy();
    else this.#connections.serve(socket);
  };

  readonly #handle = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    if (this.#isEnding(socket)) response.setHeader('Connection', 'close');
    const answer = (): void => {
      if (astray.has(socket)) redirectToHttps(request, response);
      else this.#options.handler(request, response);
    };
    this.#connections.begin(socket, response, answer, this.#limits);
    response.once('close', () => {
      // Further requests that the client sent on it are discarded.
      if (this.#isEnding(socket) && this.#connections.isIdle(socket)) socket.end(() => socket.destroy());
    });
  };

  readonly #acceptsUpgrade = (request: IncomingMessage): boolean => {
    const { socket } = request;
    if (astray.has(socket) || this.#isEnding(socket)) return false;
    return this.#options.upgrades?.accepts(request) === true;
  };

  readonly #upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    // What is sent now would be read as a part of an earlier answer.
    if (this.#connections.take(socket)) this.#options.upgrades?.handle(request, socket, head);
    else socket.destroy();
  };

  /** Also called for failed TLS handshakes, whose socket cannot carry an answer. */
  readonly #clientError = (error: Error & { code?: string }, socket: Duplex): void => {
    const { code = '' } = error;
    const isOfHttp = code.startsWith('HPE_') || code === REQUEST_TIMEOUT;
    const refused = (): void => {
      refuse(socket, code);
    };
    if (isOfHttp && this.#connections.endLater(socket, refused)) return;
    // During another answer, this one would be read as a part of it.
    const canAnswer = isOfHttp && socket.writable && this.#connections.isIdle(socket);
    if (canAnswer) refused();
    else socket.destroy();
  };
}

const REQUEST_TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT';
