import type { Clock, Timer } from '../clock.ts';
import type { Metrics, QueueState } from '../metrics/index.ts';
import { keyOf } from '../object-key.ts';
import type { ObjectRef } from '../objects.ts';
import { Fifo } from './fifo.ts';

/** Delay of the n-th retry in a row: `base` · 2ⁿ, at most `max`; milliseconds. */
export interface RateLimit {
  base: number;
  max: number;
}

export interface QueueOptions {
  name: string;
  clock: Clock;
  /** Default: 5 ms to 1000 s. */
  rateLimit?: RateLimit | undefined;
  metrics?: Metrics | undefined;
}

/** A name that waits to be handed out, and since when. */
interface Entry {
  key: string;
  ref: ObjectRef;
  since: number;
}

interface Waiting {
  at: number;
  timer: Timer;
}

/**
 * The names of objects that want work. A name that waits is not added twice; one that is being worked on is not
 * handed out until `done`, and when it was added meanwhile it is handed out again after that.
 */
export class Queue {
  readonly #name: string;
  readonly #clock: Clock;
  readonly #rateLimit: RateLimit;
  readonly #metrics: Metrics | undefined;
  /** To hand out, oldest first, and the keys of them. */
  readonly #ready = new Fifo<Entry>();
  readonly #readyKeys = new Set<string>();
  /** Handed out, with the time of that. */
  readonly #processing = new Map<string, number>();
  /** Added while handed out. */
  readonly #again = new Map<string, Entry>();
  /** To add later. */
  readonly #later = new Map<string, Waiting>();
  readonly #failures = new Map<string, number>();
  readonly #takers: ((ref: ObjectRef | undefined) => void)[] = [];
  #closed = false;

  constructor(options: QueueOptions) {
    this.#name = options.name;
    this.#clock = options.clock;
    this.#rateLimit = options.rateLimit ?? { base: 5, max: 1_000_000 };
    this.#metrics = options.metrics;
    this.#metrics?.queueStarted(this.#name, () => this.#state());
  }

  /** Names that wait to be handed out now. */
  get depth(): number {
    return this.#ready.size;
  }

  /** Wants work on `ref` now; calls off an `addAfter` of it that has not come due. */
  add(ref: ObjectRef): void {
    if (this.#closed) return;
    const key = keyOf(ref);
    this.#later.get(key)?.timer.cancel();
    this.#later.delete(key);
    if (this.#readyKeys.has(key) || this.#again.has(key)) return;
    const entry = { key, ref, since: this.#clock.now() };
    if (this.#processing.has(key)) this.#again.set(key, entry);
    else this.#makeReady(entry);
    this.#metrics?.queueAdded(this.#name);
    // Not at once: what one event makes several sources add is one piece of work.
    if (this.#takers.length > 0) {
      queueMicrotask(() => {
        this.#handOut();
      });
    }
  }

  /** Wants work on `ref` in that many milliseconds, or sooner where that is already wanted. */
  addAfter(ref: ObjectRef, milliseconds: number): void {
    if (this.#closed) return;
    if (milliseconds <= 0) {
      this.add(ref);
      return;
    }
    const key = keyOf(ref);
    if (this.#readyKeys.has(key) || this.#again.has(key)) return;
    const at = this.#clock.now() + milliseconds;
    const waiting = this.#later.get(key);
    if (waiting !== undefined && waiting.at <= at) return;
    waiting?.timer.cancel();
    const timer = this.#clock.setTimeout(() => {
      this.add(ref);
    }, milliseconds);
    this.#later.set(key, { at, timer });
  }

  /** Wants work on `ref` after a delay that grows each time, until `forget`. */
  addRateLimited(ref: ObjectRef): void {
    const key = keyOf(ref);
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    this.#metrics?.queueRetried(this.#name);
    this.addAfter(ref, Math.min(this.#rateLimit.max, this.#rateLimit.base * 2 ** failures));
  }

  /** The next `addRateLimited` of `ref` is the first again. */
  forget(ref: ObjectRef): void {
    this.#failures.delete(keyOf(ref));
  }

  /** Resolves with a name to work on, and `done` is owed for it; undefined once the queue is closed. */
  take(): Promise<ObjectRef | undefined> {
    return new Promise((resolve) => {
      this.#takers.push(resolve);
      this.#handOut();
    });
  }

  /** The work on `ref` is over. */
  done(ref: ObjectRef): void {
    const key = keyOf(ref);
    const since = this.#processing.get(key);
    if (since === undefined) return;
    this.#processing.delete(key);
    this.#metrics?.queueDone(this.#name, (this.#clock.now() - since) / 1000);
    const entry = this.#again.get(key);
    if (entry === undefined) return;
    this.#again.delete(key);
    this.#makeReady(entry);
    this.#handOut();
  }

  /** Hands out nothing more and drops what waits. */
  close(): void {
    this.#closed = true;
    for (const { timer } of this.#later.values()) timer.cancel();
    this.#later.clear();
    this.#ready.clear();
    this.#readyKeys.clear();
    this.#again.clear();
    this.#handOut();
  }

  #handOut(): void {
    if (this.#closed) {
      for (const taker of this.#takers.splice(0)) taker(undefined);
      return;
    }
    while (this.#takers.length > 0) {
      const entry = this.#ready.shift();
      if (entry === undefined) return;
      const now = this.#clock.now();
      this.#readyKeys.delete(entry.key);
      this.#processing.set(entry.key, now);
      this.#metrics?.queueTaken(this.#name, (now - entry.since) / 1000);
      this.#takers.shift()?.(entry.ref);
    }
  }

  #makeReady(entry: Entry): void {
    this.#ready.push(entry);
    this.#readyKeys.add(entry.key);
  }

  #state(): QueueState {
    const now = this.#clock.now();
    return { depth: this.#ready.size, working: [...this.#processing.values()].map((since) => (now - since) / 1000) };
  }
}
