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
