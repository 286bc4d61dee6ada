interface Timer {
  work: () => void;
  at: number;
}

/** Timers that run when they are told to, in the order in which they are due. */
export class TestTimers {
  readonly #timers = new Set<Timer>();

  /** @returns calls it off */
  add(work: () => void, at: number): () => void {
    const timer = { work, at };
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
    };
  }

  /** Runs what is due until then, timers that come up on the way included; `onDue` is told of each time first. */
  runUntil(end: number, onDue: (at: number) => void): void {
    for (let next = this.#first(end); next !== undefined; next = this.#first(end)) {
      this.#timers.delete(next);
      onDue(next.at);
      next.work();
    }
  }

  #first(end: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers)
      if (timer.at <= end && (first === undefined || timer.at < first.at)) first = timer;
    return first;
  }
}
