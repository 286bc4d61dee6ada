import type { Clock, Timer } from '../clock.ts';

interface Pending {
  at: number;
  order: number;
  callback: () => void;
}

/**
 * A clock that moves only by `advance`.
 *
 * @example const clock = new FakeClock(); clock.setTimeout(() => console.log('a minute'), 60_000); await
 * clock.advance(60_000);
 */
export class FakeClock implements Clock {
  readonly #pending = new Set<Pending>();
  #now: number;
  /** How far the system's time was set forward. */
  #ahead = 0;
  #order = 0;

  constructor(now: number = Date.UTC(2026, 0, 1)) {
    this.#now = now;
  }

  now(): number {
    return this.#now + this.#ahead;
  }

  monotonic(): number {
    return this.#now;
  }

  /** Sets the system's time forward, or back if negative. Timers do not notice it. */
  set(milliseconds: number): void {
    this.#ahead += milliseconds;
  }

  setTimeout(callback: () => void, milliseconds: number): Timer {
    this.#order += 1;
    const timer = { at: this.#now + Math.max(0, milliseconds), order: this.#order, callback };
    this.#pending.add(timer);
    return {
      cancel: () => {
        this.#pending.delete(timer);
      },
    };
  }

  /** Number of pending timers. It must be 0 after the tested object has cleaned up. */
  get timers(): number {
    return this.#pending.size;
  }

  /**
   * Advances the time and fires due timers in order, each at its own time. Promises and loopback I/O run before,
   * between and after timers, so that they can set further timers.
   */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await turn();
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#pending.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.callback();
      await turn();
    }
    this.#now = end;
  }

  #next(end: number): Pending | undefined {
    let first: Pending | undefined;
    for (const timer of this.#pending) {
      if (timer.at > end) continue;
      if (first === undefined || timer.at < first.at || (timer.at === first.at && timer.order < first.order)) {
        first = timer;
      }
    }
    return first;
  }
}

/** Runs the continuations of settled promises and reads available I/O. */
async function turn(): Promise<void> {
  for (let i = 0; i < 3; i += 1) await new Promise((resolve) => setImmediate(resolve));
}
