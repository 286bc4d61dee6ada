import type { Socket } from 'node:net';

export interface ConnectionLimits {
  /** Maximum number of connections, including TLS handshakes. */
  all: number;
  /** Maximum number of connections from one address. */
  ofSource: number;
}

/** What a connection is doing. Only reviews that are being evaluated keep it from being closed for another one. */
type Work = 'nothing' | 'reading' | 'evaluating';

interface Connection {
  /** The accepted socket; requests arrive on the TLS socket above it. */
  readonly socket: Socket;
  readonly source: string;
  work: Work;
  /** Whether a review has arrived on it. */
  isUsed: boolean;
}

/**
 * The connections of the admission server. Clients are not authenticated, so places are shared fairly between their
 * addresses: a new connection above a limit replaces one of the address that has the most. An API server, which has a
 * few, always gets one.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  /** Oldest first, by {@link placeOf}. */
  readonly #open = new Map<string, Connection>();
  readonly #perSource = new Map<string, number>();

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /** Takes a new connection, or destroys it if there is no place. */
  admit(socket: Socket): void {
    const source = sourceOf(socket);
    if (!this.#makeRoom(source)) {
      socket.destroy();
      return;
    }
    const place = placeOf(socket);
    this.#open.set(place, { socket, source, work: 'nothing', isUsed: false });
    this.#perSource.set(source, this.#countOf(source) + 1);
    socket.once('close', () => {
      this.#forget(place, socket);
    });
  }

  /** @returns false if an earlier request on this connection has no answer yet: API servers do not pipeline */
  begin(socket: Socket): boolean {
    const connection = this.#open.get(placeOf(socket));
    if (connection?.work !== 'nothing') return false;
    connection.work = 'reading';
    return true;
  }

  /** A complete review has arrived. */
  evaluate(socket: Socket): void {
    const connection = this.#open.get(placeOf(socket));
    if (connection === undefined) return;
    connection.work = 'evaluating';
    connection.isUsed = true;
  }

  /** The answer has been sent. */
  finish(socket: Socket): void {
    const connection = this.#open.get(placeOf(socket));
    if (connection !== undefined) connection.work = 'nothing';
  }

  #makeRoom(source: string): boolean {
    const isGreedy = this.#countOf(source) >= this.#limits.ofSource;
    if (!isGreedy && this.#open.size < this.#limits.all) return true;
    const from = isGreedy ? source : this.#greediest();
    const places = [...this.#open].filter(([, connection]) => connection.source === from);
    const idle = places.filter(([, { work }]) => work !== 'evaluating');
    // Both addresses then have the same number of places.
    const isUnfair = this.#countOf(from) > this.#countOf(source) + 1;
    const victim = idle.find(([, { isUsed }]) => !isUsed) ?? idle[0] ?? (isUnfair ? places[0] : undefined);
    if (victim === undefined) return false;
    const [place, { socket }] = victim;
    this.#forget(place, socket);
    socket.destroy();
    return true;
  }

  #greediest(): string {
    const counts = [...this.#perSource];
    return counts.reduce((most, next) => (next[1] > most[1] ? next : most), counts[0] ?? ['', 0])[0];
  }

  #countOf(source: string): number {
    return this.#perSource.get(source) ?? 0;
  }

  #forget(place: string, socket: Socket): void {
    const connection = this.#open.get(place);
    // A port may already be in use again.
    if (connection?.socket !== socket) return;
    this.#open.delete(place);
    const count = this.#countOf(connection.source) - 1;
    if (count > 0) this.#perSource.set(connection.source, count);
    else this.#perSource.delete(connection.source);
  }
}

/** The client's address; empty if the connection is already closed. */
export function sourceOf(socket: Socket): string {
  return socket.remoteAddress ?? '';
}

/** Unique among open connections; the same for an accepted socket and the TLS socket above it. */
function placeOf(socket: Socket): string {
  return `${sourceOf(socket)} ${socket.remotePort ?? 0} ${socket.localAddress ?? ''}`;
}
