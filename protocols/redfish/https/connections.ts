import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** The connections that an endpoint has, and what is going on in them. */
export class Connections {
  /** All that were accepted, the oldest first, with where they are from. */
  readonly #accepted = new Map<Socket, Origin>();
  readonly #perSource = new Map<string, number>();
  /** Those that HTTP is spoken on, the longest there first, with the number of their answers that are not finished. */
  readonly #serving = new Map<Duplex, { origin: Origin; unanswered: number }>();
  /** Places of those in `#serving`: that of TLS is another socket than the one that was accepted. */
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

  /** HTTP begins on a connection: of TLS, the socket that decrypts it. */
  serve(socket: Socket): void {
    const origin = originOf(socket);
    this.#serving.set(socket, { origin, unanswered: 0 });
    this.#spoken.add(origin.place);
    socket.once('close', () => {
      this.#serving.delete(socket);
      this.#spoken.delete(origin.place);
    });
  }

  /** A request has come. @returns what is to be called when its answer is finished */
  begin(socket: Socket): () => void {
    const state = this.#serving.get(socket);
    if (state === undefined) return () => undefined;
    state.unanswered += 1;
    return () => {
      state.unanswered -= 1;
    };
  }

  /** Requests on a connection whose answers are not finished; undefined: HTTP is not spoken on it. */
  unansweredOn(socket: Duplex): number | undefined {
    return this.#serving.get(socket)?.unanswered;
  }

  isIdle(socket: Duplex): boolean {
    return this.unansweredOn(socket) === 0;
  }

  /**
   * Gives up one connection, of those of a source or of all: the oldest that has not come as far as HTTP, which a client who means
   * well is through with at once, or else the one with no request to answer that has been there for longest.
   *
   * @returns false: all of them wait for answers
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

  /** Gives up the connection with no request to answer that has been there for longest. @returns false: there is none */
  endIdle(source?: string): boolean {
    for (const [socket, { origin, unanswered }] of this.#serving) {
      if (unanswered > 0 || (source !== undefined && origin.source !== source)) continue;
      this.#serving.delete(socket);
      socket.destroy();
      return true;
    }
    return false;
  }

  /** Cuts all. */
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
  /** What no other connection has at the same time. */
  readonly place: string;
}

/** The address that a connection is from; of one that is gone already, nobody's. */
export function sourceOf(socket: Socket): string {
  return socket.remoteAddress ?? '';
}

function originOf(socket: Socket): Origin {
  const { remotePort = 0, localAddress = '', localPort = 0 } = socket;
  const source = sourceOf(socket);
  return { source, place: `${source} ${remotePort} ${localAddress} ${localPort}` };
}
