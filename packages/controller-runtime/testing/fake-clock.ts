import type { Clock, Timer } from '../clock.ts';

interface Pending {
  at: number;
  order: number;
  callback: () => void;
}

/**
 * A clock that stands still until it is told to move.
 *
 * @example
 * const clock = new FakeClock();
 * clock.setTimeout(() => console.log('a minute'), 60_000);
 * await clock.advance(60_000);
 */
export class FakeClock implements Clock {
  readonly #pending = new Set<Pending>();
  #now: number;
  #order = 0;

  constructor(now: number = Date.UTC(2026, 0, 1)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
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

  /** Timers that wait: none after a thing that cleans up after itself has ended. */
  get timers(): number {
    return this.#pending.size;
  }

  /**
   * Moves time on and fires what falls due, in order, each timer at its own time. Before, between and after timers
   * promises and loopback I/O get a turn, so that what is in motion may set its next timer.
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

/** Lets every settled promise run its continuations, and I/O that is ready be read. */
async function turn(): Promise<void> {
  for (let i = 0; i < 3; i += 1) await new Promise((resolve) => setImmediate(resolve));
}
