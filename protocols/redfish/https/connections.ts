import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** The connections of an endpoint and their requests. */
export class Connections {
  /** All accepted connections, oldest first, with their origin. */
  readonly #accepted = new Map<Socket, Origin>();
  readonly #perSource = new Map<string, number>();
  /** Connections on which HTTP has started, oldest first. */
  readonly #serving = new Map<Duplex, Serving>();
  /** Number of unfinished answers on all of them. */
  #unanswered = 0;
  /** Keys of the connections in `#serving`: a TLS socket is not the socket that was accepted. */
  readonly #spoken = new Set<string>();

  get size(): number {
    return this.#accepted.size;
  }

  countOf(source: string): number {
    return this.#perSource.get(source) ?? 0;
  }

  add(socket: Socket): void {
    const origin = originOf(socket);
    const { source } = origin;
    this.#accepted.set(socket, origin);
    this.#perSource.set(source, this.countOf(source) + 1);
    socket.once('close', () => {
      this.#forget(socket);
    });
  }

  /** HTTP starts on a connection; for TLS, `socket` is the decrypting one. */
  serve(socket: Socket): void {
    const origin = originOf(socket);
    const serving: Serving = { origin, answers: new Set(), waiting: [], isTaken: false };
    this.#serving.set(socket, serving);
    this.#spoken.add(origin.place);
    socket.on('resume', () => {
      if (serving.waiting.length > 0) stopReading(socket);
    });
    socket.once('close', () => {
      // A response that is queued behind others does not report it.
      this.#unanswered -= serving.answers.size;
      serving.answers.clear();
      serving.waiting.length = 0;
      this.#serving.delete(socket);
      this.#spoken.delete(origin.place);
    });
  }

  /**
   * A request has arrived. Its answer starts at once or, if `pipelined` others of the connection are unfinished, after one of them.
   * No more is read from the connection meanwhile. What has been read is kept, up to `unanswered` requests of all connections; more
   * destroy the connection.
   */
  begin(
    socket: Socket,
    response: ServerResponse,
    start: () => void,
    { pipelined, unanswered }: Pick<HttpsLimits, 'pipelined' | 'unanswered'>,
  ): void {
    const serving = this.#serving.get(socket);
    if (serving === undefined) return;
    serving.answers.add(response);
    this.#unanswered += 1;
    response.once('close', () => {
      this.#finish(socket, serving, response);
    });
    if (serving.answers.size <= pipelined) {
      start();
    } else if (this.#unanswered > unanswered) {
      socket.destroy();
    } else {
      serving.waiting.push(start);
      stopReading(socket);
    }
  }

  /**
   * Another protocol takes a connection over, until it is closed.
   *
   * @returns false: it has unfinished answers, or is closed
   */
  take(socket: Duplex): boolean {
    const serving = this.#serving.get(socket);
    if (serving === undefined || serving.answers.size > 0) return false;
    serving.isTaken = true;
    return true;
  }

  /** The unfinished answers of all connections. */
  answers(): ServerResponse[] {
    return [...this.#serving.values()].flatMap(({ answers }) => [...answers]);
  }

  isIdle(socket: Duplex): boolean {
    const serving = this.#serving.get(socket);
    return serving !== undefined && isFree(serving);
  }

  /**
   * If requests wait for earlier ones of the connection, so that it is not read, ends it with `refuse` after their answers. Further
   * calls have no effect.
   *
   * @returns false: none waits
   */
  endLater(socket: Duplex, refuse: () => void): boolean {
    const serving = this.#serving.get(socket);
    // What waited may have begun since the first call.
    if (serving === undefined || (serving.waiting.length === 0 && serving.refuse === undefined)) return false;
    serving.refuse ??= refuse;
    return true;
  }

  /**
   * Closes one connection, of a source or of all: the oldest on which HTTP has not started, or else the idle one that is open for
   * longest.
   *
   * @returns false: all have unfinished answers
   */
  makeRoom(source?: string): boolean {
    for (const [socket, origin] of this.#accepted) {
      if (this.#spoken.has(origin.place) || (source !== undefined && origin.source !== source)) continue;
      this.#forget(socket);
      socket.destroy();
      return true;
    }
    return this.endIdle(source);
  }

  /** Closes the idle connection that is open for longest. @returns false: there is none */
  endIdle(source?: string): boolean {
    for (const [socket, serving] of this.#serving) {
      if (!isFree(serving) || (source !== undefined && serving.origin.source !== source)) continue;
      this.#serving.delete(socket);
      socket.destroy();
      return true;
    }
    return false;
  }

  /** Destroys all connections. */
  destroy(): void {
    for (const socket of [...this.#serving.keys(), ...this.#accepted.keys()]) socket.destroy();
  }

  #finish(socket: Socket, serving: Serving, response: ServerResponse): void {
    const { answers, waiting, refuse } = serving;
    if (!answers.delete(response)) return;
    this.#unanswered -= 1;
    // The answer was the last one of its connection: what the client sent after it is not carried out (RFC 9112 §9.6).
    if (socket.writableEnded) waiting.length = 0;
    const next = waiting.shift();
    if (next !== undefined && waiting.length === 0 && refuse === undefined) socket.resume();
    next?.();
    if (answers.size === 0) refuse?.();
  }

  #forget(socket: Socket): void {
    const origin = this.#accepted.get(socket);
    if (origin === undefined) return;
    this.#accepted.delete(socket);
    const { source } = origin;
    const count = this.countOf(source) - 1;
    if (count > 0) this.#perSource.set(source, count);
    else this.#perSource.delete(source);
  }
}

/**
 * node:http resumes a socket whenever it reads a body. At `resume` it starts the handle, even if the socket was paused meanwhile; its
 * listener of `pause` stops the handle again.
 */
function stopReading(socket: Socket): void {
  if (socket.isPaused()) socket.emit('pause');
  else socket.pause();
}

/** A connection on which HTTP has started. */
interface Serving {
  readonly origin: Origin;
  /** Unfinished. */
  readonly answers: Set<ServerResponse>;
  /** Starts of those answers that wait for earlier ones. */
  readonly waiting: (() => void)[];
  /** Ends the connection after them. */
  refuse?: () => void;
  /** It does not carry HTTP any more. */
  isTaken: boolean;
}

function isFree({ answers, isTaken }: Serving): boolean {
  return answers.size === 0 && !isTaken;
}

interface Origin {
  /** Address of the client. */
  readonly source: string;
  /** Unique among the open connections. */
  readonly place: string;
}

/** Remote address of a connection; empty if it is already closed. */
export function sourceOf(socket: Socket): string {
  return socket.remoteAddress ?? '';
}

function originOf(socket: Socket): Origin {
  const { remotePort = 0, localAddress = '', localPort = 0 } = socket;
  const source = sourceOf(socket);
  return { source, place: `${source} ${remotePort} ${localAddress} ${localPort}` };
}

/** Limits for clients. Times in ms. */
export interface HttpsLimits {
  /** Maximum number of connections, including TLS handshakes. */
  connections: number;
  /** Maximum number of connections from one address. */
  connectionsPerSource: number;
  /** Maximum size of request line and headers, in bytes. */
  headerBytes: number;
  /** Timeout of the TLS handshake. */
  handshake: number;
  /** Timeout from the start of a request to the end of its headers. */
  headers: number;
  /** Timeout from the start of a request to its end. */
  request: number;
  /** Timeout between two requests. */
  keepAlive: number;
  /** Timeout without traffic during an answer; longer than the heartbeat interval of event streams. */
  silence: number;
  /** Requests after which a connection is closed. */
  requestsPerConnection: number;
  /** Maximum number of answers at a time on a connection; more requests wait. */
  pipelined: number;
  /** Maximum number of requests on all connections that wait; more destroy the connection. */
  unanswered: number;
  /** Time for pending answers after the endpoint is closed. */
  close: number;
  /** Interval of the timeout checks. */
  checks: number;
  /** Time without connections after which the TLS context and the HTTP servers are released. */
  rest: number;
}

/** Sufficient for the clients of a rack behind one address; 256 connections need about 20 MB. */
export const DEFAULT_LIMITS: HttpsLimits = {
  connections: 256,
  connectionsPerSource: 128,
  headerBytes: 16_384,
  handshake: 10_000,
  headers: 10_000,
  request: 30_000,
  keepAlive: 60_000,
  silence: 120_000,
  requestsPerConnection: 10_000,
  pipelined: 4,
  unanswered: 2_048,
  close: 5_000,
  checks: 2_000,
  rest: 20,
};

/** First byte of every TLS connection: a handshake record (RFC 8446 §5.1). */
const HANDSHAKE = 0x16;

/**
 * Reads the first byte of a connection and puts it back.
 *
 * @param told called with whether TLS follows; not called if the connection ends before, or after `patience` ms, which closes it
 */
export function sniff(socket: Socket, patience: number, told: (isTls: boolean) => void): void {
  const timer = setTimeout(() => socket.destroy(), patience);
  const look = (): void => {
    const chunk = socket.read() as Buffer | null;
    const first = chunk?.[0];
    if (chunk === null || first === undefined) {
      socket.once('readable', look);
      return;
    }
    clearTimeout(timer);
    socket.unshift(chunk);
    told(first === HANDSHAKE);
  };
  socket.once('readable', look);
  socket.once('close', () => {
    clearTimeout(timer);
  });
}
