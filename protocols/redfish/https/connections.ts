import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** The connections of an endpoint and their requests. */
export class Connections {
  /** All accepted connections, oldest first, with their origin. */
  readonly #accepted = new Map<Socket, Origin>();
  readonly #perSource = new Map<string, number>();
  /** Connections on which HTTP has started, oldest first, with the number of unfinished answers. */
  readonly #serving = new Map<Duplex, { origin: Origin; unanswered: number }>();
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
    this.#serving.set(socket, { origin, unanswered: 0 });
    this.#spoken.add(origin.place);
    socket.once('close', () => {
      this.#serving.delete(socket);
      this.#spoken.delete(origin.place);
    });
  }

  /** A request has arrived. @returns the function to call when its answer is finished */
  begin(socket: Socket): () => void {
    const state = this.#serving.get(socket);
    if (state === undefined) return () => undefined;
    state.unanswered += 1;
    return () => {
      state.unanswered -= 1;
    };
  }

  /** Number of unfinished answers on a connection; undefined: HTTP has not started on it. */
  unansweredOn(socket: Duplex): number | undefined {
    return this.#serving.get(socket)?.unanswered;
  }

  isIdle(socket: Duplex): boolean {
    return this.unansweredOn(socket) === 0;
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
    for (const [socket, { origin, unanswered }] of this.#serving) {
      if (unanswered > 0 || (source !== undefined && origin.source !== source)) continue;
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
  /** Maximum number of unanswered requests on a connection; more destroy it. */
  pipelined: number;
  /** Time for pending answers after the endpoint is closed. */
  close: number;
  /** Interval of the timeout checks. */
  checks: number;
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
  close: 5_000,
  checks: 2_000,
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
