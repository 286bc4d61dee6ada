/**
 * A rate limit with a burst of two seconds: the generic cell rate algorithm. Its state is one number, the theoretical arrival
 * time.
 */
export class Pace {
  readonly #interval: number;
  readonly #tolerance: number;

  /** @param rate per second; Infinity admits everything */
  constructor(rate: number) {
    this.#interval = 1_000 / rate;
    this.#tolerance = Math.max(0, 2_000 - this.#interval);
  }

  /** Everything is admitted and no state is needed. */
  get isUnlimited(): boolean {
    return this.#interval === 0;
  }

  /** The new state after one more event at `now` (ms); undefined: not admitted. */
  next(state: number, now: number): number | undefined {
    const due = Math.max(state, now);
    return due - now > this.#tolerance ? undefined : due + this.#interval;
  }
}
