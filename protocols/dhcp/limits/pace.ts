/**
 * A rate, with a burst of two seconds of it: the generic cell rate algorithm, of which the state is one number, the time at
 * which all that was let through would have come had it kept the pace.
 */
export class Pace {
  readonly #interval: number;
  readonly #tolerance: number;

  /** @param rate a second; Infinity lets everything through */
  constructor(rate: number) {
    this.#interval = 1_000 / rate;
    this.#tolerance = Math.max(0, 2_000 - this.#interval);
  }

  /** Everything is let through, and no state need be kept. */
  get isUnlimited(): boolean {
    return this.#interval === 0;
  }

  /** The state after one more at `now` (ms), from the state before; undefined: it is not let through. */
  next(state: number, now: number): number | undefined {
    const due = Math.max(state, now);
    return due - now > this.#tolerance ? undefined : due + this.#interval;
  }
}
