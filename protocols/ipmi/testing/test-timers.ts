interface Timer {
  work: () => void;
  at: number;
}

/** Manual timers that run in the order of their due times. */
export class TestTimers {
  readonly #timers = new Set<Timer>();

  /** @returns a function to cancel it */
  add(work: () => void, at: number): () => void {
    const timer = { work, at };
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
    };
  }

  /** Runs all timers until `end`, including new ones; `onDue` is called with each time first. */
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
