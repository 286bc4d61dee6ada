import type { Clock, Timer } from '../clock.ts';
import type { Metrics, QueueState } from '../metrics.ts';
import { keyOf, type ObjectRef } from '../objects.ts';

/** Delay of the n-th consecutive retry: `base` · 2ⁿ, at most `max`; milliseconds. */
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

/** A waiting name and the time since when it waits. */
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
 * A work queue of object names. A waiting name is not added twice. A name in progress is not handed out until `done`;
 * if it was added in the meantime, it is handed out again after that.
 */
export class Queue {
  readonly #name: string;
  readonly #clock: Clock;
  readonly #rateLimit: RateLimit;
  readonly #metrics: Metrics | undefined;
  /** Names to hand out, oldest first, and their keys. */
  readonly #ready = new Fifo<Entry>();
  readonly #readyKeys = new Set<string>();
  /** Names in progress, with the start time. */
  readonly #processing = new Map<string, number>();
  /** Names added while in progress. */
  readonly #again = new Map<string, Entry>();
  /** Names to add later. */
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

  /** Number of names that are ready. */
  get depth(): number {
    return this.#ready.size;
  }

  /** Adds `ref` now; cancels a pending `addAfter` of it. */
  add(ref: ObjectRef): void {
    if (this.#closed) return;
    const key = keyOf(ref);
    this.#later.get(key)?.timer.cancel();
    this.#later.delete(key);
    if (this.#readyKeys.has(key) || this.#again.has(key)) return;
    const entry = { key, ref, since: this.#clock.monotonic() };
    if (this.#processing.has(key)) this.#again.set(key, entry);
    else this.#makeReady(entry);
    this.#metrics?.queueAdded(this.#name);
    // Deferred, so that several adds caused by one event become one piece of work.
    if (this.#takers.length > 0) {
      queueMicrotask(() => {
        this.#handOut();
      });
    }
  }

  /** Adds `ref` after that many milliseconds, or sooner if an earlier add is pending. */
  addAfter(ref: ObjectRef, milliseconds: number): void {
    if (this.#closed) return;
    if (milliseconds <= 0) {
      this.add(ref);
      return;
    }
    const key = keyOf(ref);
    if (this.#readyKeys.has(key) || this.#again.has(key)) return;
    const at = this.#clock.monotonic() + milliseconds;
    const waiting = this.#later.get(key);
    if (waiting !== undefined && waiting.at <= at) return;
    waiting?.timer.cancel();
    const timer = this.#clock.setTimeout(() => {
      this.add(ref);
    }, milliseconds);
    this.#later.set(key, { at, timer });
  }

  /** Adds `ref` after a delay that grows with each call until `forget`. */
  addRateLimited(ref: ObjectRef): void {
    const key = keyOf(ref);
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    this.#metrics?.queueRetried(this.#name);
    this.addAfter(ref, Math.min(this.#rateLimit.max, this.#rateLimit.base * 2 ** failures));
  }

  /** Resets the delay of `addRateLimited` for `ref`. */
  forget(ref: ObjectRef): void {
    this.#failures.delete(keyOf(ref));
  }

  /** Resolves with a name, after which the caller must call `done`; undefined after `close`. */
  take(): Promise<ObjectRef | undefined> {
    return new Promise((resolve) => {
      this.#takers.push(resolve);
      this.#handOut();
    });
  }

  /** Ends the work on `ref`. */
  done(ref: ObjectRef): void {
    const key = keyOf(ref);
    const since = this.#processing.get(key);
    if (since === undefined) return;
    this.#processing.delete(key);
    this.#metrics?.queueDone(this.#name, (this.#clock.monotonic() - since) / 1000);
    const entry = this.#again.get(key);
    if (entry === undefined) return;
    this.#again.delete(key);
    this.#makeReady(entry);
    this.#handOut();
  }

  /** Closes the queue and drops all waiting names. */
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
      const now = this.#clock.monotonic();
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
    const now = this.#clock.monotonic();
    return { depth: this.#ready.size, working: [...this.#processing.values()].map((since) => (now - since) / 1000) };
  }
}

/** A FIFO queue with constant-time operations. Removing the front of an array or a Map gets slower with its length. */
class Fifo<T> {
  #items: T[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    if (this.size === 0) return undefined;
    const item = this.#items[this.#head];
    this.#head += 1;
    // Amortised: at most one item is moved per taken item.
    if (this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  clear(): void {
    this.#items = [];
    this.#head = 0;
  }
}
