/** Runs a limited number of tasks at a time. The others wait in order, urgent ones before the rest. */
export class Slots {
  readonly #size: number;
  readonly #urgent: (() => void)[] = [];
  readonly #rest: (() => void)[] = [];
  #running = 0;

  constructor(size: number) {
    this.#size = size;
  }

  /** Settles as `task` does. */
  async run<T>(task: () => Promise<T>, isUrgent = true): Promise<T> {
    if (this.#running < this.#size) this.#running += 1;
    else {
      // The task that ends hands its slot over.
      await new Promise<void>((resolve) => {
        (isUrgent ? this.#urgent : this.#rest).push(resolve);
      });
    }
    try {
      return await task();
    } finally {
      const next = this.#urgent.shift() ?? this.#rest.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
