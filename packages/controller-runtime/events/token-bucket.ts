/** A token bucket with `burst` tokens that gains one token every `refill` milliseconds. */
export class TokenBucket {
  readonly #burst: number;
  readonly #refill: number;
  #tokens: number;
  #filledAt: number;

  constructor(burst: number, refill: number, now: number) {
    this.#burst = burst;
    this.#refill = refill;
    this.#tokens = burst;
    this.#filledAt = now;
  }

  take(now: number): boolean {
    const fresh = Math.floor((now - this.#filledAt) / this.#refill);
    if (fresh > 0) {
      this.#tokens = Math.min(this.#burst, this.#tokens + fresh);
      this.#filledAt += fresh * this.#refill;
    }
    if (this.#tokens === 0) return false;
    this.#tokens -= 1;
    return true;
  }
}
