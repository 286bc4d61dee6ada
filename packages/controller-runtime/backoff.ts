export interface BackoffOptions {
  /** Upper bound of the first delay, milliseconds; doubled with each that follows. */
  base: number;
  /** Upper bound of all delays, milliseconds. */
  max: number;
  random: () => number;
}

/** Delays that grow exponentially, with full jitter so that many clients do not come back at once. */
export class Backoff {
  readonly #options: BackoffOptions;
  #failures = 0;

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  /** The delay after one more failure, in milliseconds. */
  next(): number {
    const { base, max, random } = this.#options;
    const bound = Math.min(max, base * 2 ** this.#failures);
    this.#failures += 1;
    return random() * bound;
  }

  reset(): void {
    this.#failures = 0;
  }
}
