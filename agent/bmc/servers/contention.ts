/** Milliseconds in which a BMC counts as a user of the processor after it has used it: one to two of these. */
const PERIOD = 1_000;

/** How many BMCs of a process use its processor. */
export class Contention {
  readonly #now: () => number;
  #began: number;
  #users = new Set<object>();
  #before = 0;

  /** @param now ms of a monotonic clock */
  constructor(now: () => number) {
    this.#now = now;
    this.#began = now();
  }

  /** Notes that a BMC uses it. */
  note(user: object): void {
    this.#turn();
    this.#users.add(user);
  }

  /** BMCs that have used it lately. */
  get users(): number {
    this.#turn();
    return Math.max(this.#before, this.#users.size);
  }

  #turn(): void {
    const periods = Math.floor((this.#now() - this.#began) / PERIOD);
    if (periods === 0) return;
    this.#before = periods === 1 ? this.#users.size : 0;
    this.#users = new Set();
    this.#began += periods * PERIOD;
  }
}
