/** ms that one report stands for. */
const PERIOD = 60_000;
/** Reports of one reason within that time, of whomever: names are the client's to choose. */
const MAX_OF_REASON = 30;
const MAX_KEYS = 256;

/**
 * Lets through one report per user, source and reason in a minute, and few of each reason altogether, so that nobody can flood
 * what keeps only so many entries.
 */
export class FailureLimiter {
  readonly #now: () => number;
  /** When each was let through last, oldest first. */
  readonly #last = new Map<string, number>();
  readonly #reasons = new Map<string, { since: number; count: number }>();

  /** @param now ms of a clock that never goes back */
  constructor(now: () => number) {
    this.#now = now;
  }

  admits(user: string, address: string, reason: string): boolean {
    const now = this.#now();
    const key = JSON.stringify([user, address, reason]);
    const last = this.#last.get(key);
    if (last !== undefined && now - last < PERIOD) return false;
    if (!this.#hasRoom(reason, now)) return false;
    this.#last.delete(key);
    this.#last.set(key, now);
    const [oldest] = this.#last.keys();
    if (this.#last.size > MAX_KEYS && oldest !== undefined) this.#last.delete(oldest);
    return true;
  }

  #hasRoom(reason: string, now: number): boolean {
    const before = this.#reasons.get(reason);
    const current = before !== undefined && now - before.since < PERIOD ? before : { since: now, count: 0 };
    this.#reasons.set(reason, current);
    if (current.count >= MAX_OF_REASON) return false;
    current.count += 1;
    return true;
  }
}
