import type { Clock, Timer } from '@groundcrew/controller-runtime';
import type { Contention } from './contention.ts';

/** What a client costs: a step of an IPMI log-in, a packet of a session, a TLS handshake, a request by Redfish. */
export type Lane = 'login' | 'packet' | 'handshake' | 'request';

/** Part of one processor that a BMC may use for long, however many others use it. */
const LEAST_RATE = 0.05;
/** Part that the BMCs that use it may have together, if that is more. The rest keeps the waits of those that come short. */
const TOGETHER = 0.25;
/** Milliseconds that it may use at once after a rest: a client that reads everything. */
const BURST = 250;
/** Milliseconds that work waits at most. IPMI clients send again after about a second. */
const PATIENCE: Readonly<Record<Lane, number>> = { login: 1_000, packet: 1_000, handshake: 5_000, request: 5_000 };
/** Work that may wait. */
const ROOM: Readonly<Record<Lane, number>> = { login: 32, packet: 64, handshake: 64, request: 256 };
/**
 * Milliseconds that work of a kind costs besides what is measured: the socket, and what the runtime does later. A handshake
 * is mostly that.
 */
const BESIDES: Readonly<Record<Lane, number>> = { login: 0.03, packet: 0.03, handshake: 2, request: 0.5 };

const LANES: readonly Lane[] = ['packet', 'login', 'request', 'handshake'];

export interface ProcessorShareOptions {
  /** Milliseconds of a monotonic clock. */
  now: () => number;
  clock: Clock;
  /** Of the BMCs of the process. */
  contention: Pick<Contention, 'note' | 'users'>;
}

interface Waiting {
  readonly since: number;
  readonly begin: () => void;
  readonly refuse: () => void;
}

/**
 * The processor time of one BMC among many in a process: a token bucket of measured milliseconds. A BMC that has used up its
 * share has its clients wait, and only them. Each kind of work waits in a queue of its own, so that a flood of log-ins does not
 * keep packets of open sessions out; the oldest of each kind take turns.
 */
export class ProcessorShare {
  readonly #now: () => number;
  readonly #clock: Clock;
  readonly #contention: Pick<Contention, 'note' | 'users'>;
  readonly #queues: Readonly<Record<Lane, Waiting[]>> = { login: [], packet: [], handshake: [], request: [] };
  /** Milliseconds that may be used now; negative: overdrawn. */
  #left = BURST;
  #filled: number;
  #turn = 0;
  #timer: Timer | undefined;

  constructor({ now, clock, contention }: ProcessorShareOptions) {
    this.#now = now;
    this.#clock = clock;
    this.#contention = contention;
    this.#filled = now();
  }

  /**
   * Does `work` now, or when it is its turn.
   *
   * @param refuse answers in its place, when it has waited too long, or at once if too much waits (`isFull`)
   */
  run<T>(lane: Lane, work: () => T | Promise<T>, refuse: (isFull: boolean) => T): T | Promise<T> {
    this.#refill();
    if (this.#left > 0 && !this.#hasWaiting) return this.#measured(lane, work);
    const queue = this.#queues[lane];
    if (queue.length >= ROOM[lane]) return refuse(true);
    return new Promise<T>((resolve) => {
      const settle = (task: () => T | Promise<T>) => (): void => {
        // The inner promise turns what `task` throws into a rejection.
        resolve(
          new Promise<T>((done) => {
            done(this.#measured(lane, task));
          }),
        );
      };
      queue.push({ since: this.#now(), begin: settle(work), refuse: settle(() => refuse(false)) });
      this.#wait();
    });
  }

  /** Drops what waits. */
  close(): void {
    this.#timer?.cancel();
    for (const lane of LANES) this.#queues[lane].length = 0;
  }

  get #hasWaiting(): boolean {
    return LANES.some((lane) => this.#queues[lane].length > 0);
  }

  get #rate(): number {
    return Math.max(LEAST_RATE, TOGETHER / Math.max(1, this.#contention.users));
  }

  #measured<T>(lane: Lane, work: () => T): T {
    this.#contention.note(this);
    const begun = this.#now();
    try {
      return work();
    } finally {
      this.#left -= this.#now() - begun + BESIDES[lane];
    }
  }

  #refill(): void {
    const now = this.#now();
    this.#left = Math.min(BURST, this.#left + (now - this.#filled) * this.#rate);
    this.#filled = now;
  }

  #wait(): void {
    this.#timer ??= this.#clock.setTimeout(
      () => {
        this.#timer = undefined;
        this.#serve();
      },
      Math.max(1, -this.#left / this.#rate),
    );
  }

  #serve(): void {
    this.#refill();
    while (this.#left > 0) {
      const lane = this.#nextLane();
      const next = lane === undefined ? undefined : this.#queues[lane].shift();
      if (lane === undefined || next === undefined) return;
      if (this.#now() - next.since > PATIENCE[lane]) next.refuse();
      else next.begin();
    }
    if (this.#hasWaiting) this.#wait();
  }

  #nextLane(): Lane | undefined {
    for (let step = 1; step <= LANES.length; step += 1) {
      const lane = LANES[(this.#turn + step) % LANES.length];
      if (lane === undefined || this.#queues[lane].length === 0) continue;
      this.#turn = (this.#turn + step) % LANES.length;
      return lane;
    }
    return undefined;
  }
}
