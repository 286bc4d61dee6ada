import type { SerialLine, SerialListener } from '../../../../protocols/machine/index.ts';
import type { ConsoleSocket } from './console-socket.ts';
import { HeldConnection, type HeldConnectionOptions } from './held-connection.ts';

export interface ConsoleLineOptions extends Omit<HeldConnectionOptions, 'listener' | 'noun'> {
  listener: SerialListener;
}

/** Unsent bytes at which input stops, and at which it resumes. */
const HIGH_WATER = 64 * 1024;
const LOW_WATER = 16 * 1024;
/** Bytes of input kept while connecting; input stops at this limit. */
const MOST_TYPED_AHEAD = 4 * 1024;
const NOTHING: Buffer = Buffer.alloc(0);

/** The serial line of a VM. Messages of the BMC are written into the machine's output. */
export class ConsoleLine implements SerialLine {
  readonly #listener: SerialListener;
  readonly #connection: HeldConnection;
  /** Input that waits for the connection, joined: each piece alone would keep its packet's part of Node's pool in memory. */
  #typed = NOTHING;
  #isBlocked = false;

  constructor({ listener, ...options }: ConsoleLineOptions) {
    this.#listener = listener;
    this.#connection = new HeldConnection({
      ...options,
      noun: 'console',
      listener: {
        opened: (socket) => {
          this.#opened(socket);
        },
        received: (data) => {
          listener.received(data);
        },
        written: () => {
          this.#drain();
        },
        interrupted: ({ kind, message }, isNews) => {
          // The input was meant for the previous screen.
          if (kind === 'Off' || kind === 'Taken') this.#forgetTyped();
          if (isNews) listener.received(Buffer.from(`\r\n[${message}]\r\n`));
        },
      },
    });
  }

  get isClosed(): boolean {
    return this.#connection.state === 'closed';
  }

  start(): void {
    this.#connection.start();
  }

  /** Call after every change of the VMI. */
  follow(): void {
    this.#connection.follow();
  }

  /** Another client of this BMC has taken over the line. */
  supersede(): void {
    if (this.isClosed) return;
    this.close();
    this.#listener.closed('TakenOver');
  }

  write(data: Buffer): boolean {
    const { socket, state } = this.#connection;
    if (socket !== undefined) {
      socket.send(data);
      this.#isBlocked = socket.buffered >= HIGH_WATER;
    } else if (state === 'waiting') {
      this.#typed = Buffer.concat([this.#typed, data]);
      this.#isBlocked = this.#typed.length >= MOST_TYPED_AHEAD;
    } else {
      this.#connection.takeBack();
    }
    return !this.#isBlocked;
  }

  pause(): void {
    this.#connection.pause();
  }

  resume(): void {
    this.#connection.resume();
  }

  close(): void {
    this.#connection.close();
  }

  #opened(socket: ConsoleSocket): void {
    if (this.#typed.length > 0) socket.send(this.#typed);
    this.#typed = NOTHING;
    this.#drain();
  }

  #drain(): void {
    const { socket } = this.#connection;
    if (socket !== undefined && socket.buffered <= LOW_WATER) this.#unblock();
  }

  #forgetTyped(): void {
    this.#typed = NOTHING;
    this.#unblock();
  }

  #unblock(): void {
    if (!this.#isBlocked) return;
    this.#isBlocked = false;
    this.#listener.drained();
  }
}
