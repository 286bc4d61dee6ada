import type { Clock } from '@groundcrew/controller-runtime';

/** Milliseconds between two lines of one kind. */
const PERIOD = 10_000;

/** Lets a line of each kind through every ten seconds, with how many were held back since: packets come faster than logs are read. */
export class SampledLog {
  readonly #clock: Clock;
  readonly #kinds = new Map<string, { since: number; held: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param kind one of few: never what a packet says */
  line(kind: string, write: (held: number) => void): void {
    const now = this.#clock.now();
    const last = this.#kinds.get(kind);
    if (last !== undefined && now - last.since < PERIOD) {
      last.held += 1;
      return;
    }
    this.#kinds.set(kind, { since: now, held: 0 });
    write(last?.held ?? 0);
  }
}
