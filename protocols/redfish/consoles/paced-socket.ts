import type { RawData, WebSocket } from 'ws';

/** Calls `work` when it may begin, or `refuse` if it has waited too long or too much waits. */
export type Pace = (work: () => void, refuse: () => void) => void;

export interface PacedSocketOptions {
  webSocket: WebSocket;
  pace: Pace;
  schedule: (work: () => void, delay: number) => () => void;
  received: (data: Buffer) => void;
  /** Some of what was buffered was sent. */
  written: () => void;
  /** The last call. */
  closed: () => void;
}

/** Bytes that are sent in one turn. */
const TURN = 64 * 1024;
/** ms until a refused turn is tried again. */
const AGAIN = 250;
/** ms between two pings; a peer that has not answered the previous one is gone, unless its answer was not read. */
const PING_INTERVAL = 30_000;
/** ms for the peer's part of closing. */
const CLOSING = 2_000;
/** Bytes of a close reason (RFC 6455 §5.5). */
const MAX_REASON = 123;

/**
 * A WebSocket whose messages take turns with the other work of the process, in order, and only one turn at a time in each direction. While
 * a message waits, no more is read.
 */
export class PacedSocket {
  readonly #options: PacedSocketOptions;
  readonly #webSocket: WebSocket;
  #inbox: Buffer[] = [];
  #outbox: Buffer[] = [];
  #outboxBytes = 0;
  readonly #reading: Turns;
  readonly #writing: Turns;
  /** Whether the owner wants no messages for now. */
  #isHeld = false;
  #isAlive = true;
  #isOver = false;
  readonly #timers = new Set<() => void>();

  constructor(options: PacedSocketOptions) {
    this.#options = options;
    const { webSocket, pace } = options;
    this.#webSocket = webSocket;
    const later = (work: () => void): void => {
      this.#later(work, AGAIN);
    };
    this.#reading = new Turns({
      ...{ pace, later },
      hasWork: () => !this.#isOver && !this.#isHeld && this.#inbox.length > 0,
      work: () => {
        this.#receive();
      },
      rested: () => {
        this.#read();
      },
    });
    this.#writing = new Turns({
      ...{ pace, later },
      hasWork: () => !this.#isOver && this.#outbox.length > 0,
      work: () => {
        this.#sendSome();
      },
    });
    webSocket.on('message', (data) => {
      if (this.#isOver) return;
      this.#inbox.push(bytesOf(data));
      this.#read();
    });
    webSocket.on('pong', () => {
      this.#isAlive = true;
    });
    // `close` follows.
    webSocket.on('error', () => undefined);
    webSocket.once('close', () => {
      this.#end();
    });
    this.#later(() => {
      this.#ping();
    }, PING_INTERVAL);
  }

  /** Bytes that are not sent yet. */
  get buffered(): number {
    return this.#outboxBytes + this.#webSocket.bufferedAmount;
  }

  send(data: Buffer): void {
    if (this.#isOver || data.length === 0) return;
    this.#outbox.push(data);
    this.#outboxBytes += data.length;
    this.#writing.run();
  }

  pause(): void {
    this.#isHeld = true;
    this.#webSocket.pause();
  }

  resume(): void {
    this.#isHeld = false;
    this.#read();
  }

  /** Sends what is buffered, then closes; no more is received. */
  close(code: number, reason: string): void {
    if (this.#isOver) return;
    this.#end();
    for (const data of this.#outbox.splice(0)) this.#webSocket.send(data);
    // A paused socket does not receive the close frame.
    this.#webSocket.resume();
    this.#webSocket.close(code, cut(reason));
    const cancel = this.#options.schedule(() => {
      this.#webSocket.terminate();
    }, CLOSING);
    this.#webSocket.once('close', cancel);
  }

  /** Ends the connection at once. */
  terminate(): void {
    this.#end();
    this.#webSocket.terminate();
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#inbox = [];
    for (const cancel of this.#timers) cancel();
    this.#options.closed();
  }

  #read(): void {
    this.#reading.run();
    if (this.#isOver || this.#isHeld) return;
    if (this.#inbox.length > 0) {
      this.#webSocket.pause();
      return;
    }
    // The answer to the last ping may still be unread.
    this.#isAlive = true;
    this.#webSocket.resume();
  }

  #receive(): void {
    const data = this.#inbox.shift();
    if (data !== undefined) this.#options.received(data);
  }

  #sendSome(): void {
    let sent = 0;
    while (sent < TURN) {
      const data = this.#outbox.shift();
      if (data === undefined) return;
      sent += data.length;
      this.#outboxBytes -= data.length;
      this.#webSocket.send(data, () => {
        if (!this.#isOver) this.#options.written();
      });
    }
  }

  #ping(): void {
    if (!this.#isAlive && !this.#webSocket.isPaused) {
      this.terminate();
      return;
    }
    this.#isAlive = false;
    this.#webSocket.ping();
    this.#later(() => {
      this.#ping();
    }, PING_INTERVAL);
  }

  #later(work: () => void, delay: number): void {
    const cancel = this.#options.schedule(() => {
      this.#timers.delete(cancel);
      if (!this.#isOver) work();
    }, delay);
    this.#timers.add(cancel);
  }
}

interface TurnsOptions {
  pace: Pace;
  /** Tries again after a refused turn. */
  later: (work: () => void) => void;
  hasWork: () => boolean;
  work: () => void;
  /** No more work is left, after turns that had to wait. */
  rested?: () => void;
}

/** Work in turns, one at a time. Turns that come at once are a loop, not a recursion: there may be thousands. */
class Turns {
  readonly #options: TurnsOptions;
  #isWaiting = false;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  run(): void {
    const { pace, later, hasWork, work, rested } = this.#options;
    while (!this.#isWaiting && hasWork()) {
      this.#isWaiting = true;
      let isNow = true;
      const next = (): void => {
        this.#isWaiting = false;
        if (isNow) return;
        this.run();
        // With work left, a turn is awaited.
        if (!hasWork()) rested?.();
      };
      pace(
        () => {
          if (hasWork()) work();
          next();
        },
        () => {
          later(next);
        },
      );
      isNow = false;
    }
  }
}

function bytesOf(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}

/** Up to the limit of the protocol, without a split character. */
function cut(reason: string): string {
  return Buffer.from(reason)
    .subarray(0, MAX_REASON)
    .toString()
    .replace(/\uFFFD+$/, '');
}
