export interface BackoffOptions {
  /** Upper bound of the first delay in milliseconds; it doubles with each delay. */
  base: number;
  /** Upper bound of all delays in milliseconds. */
  max: number;
  random: () => number;
}

/** Exponentially growing delays with full jitter, so that many clients do not retry at the same time. */
export class Backoff {
  readonly #options: BackoffOptions;
  #failures = 0;

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  /** The delay in milliseconds after another failure. */
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
