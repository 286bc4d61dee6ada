interface Waiting {
  readonly begin: () => void;
}

/** Runs a limited number of tasks at a time. The others wait in order, urgent ones before the rest. */
export class Slots {
  readonly #size: number;
  readonly #urgent = new Set<Waiting>();
  readonly #rest = new Set<Waiting>();
  #running = 0;

  constructor(size: number) {
    this.#size = size;
  }

  /**
   * Settles as `task` does.
   *
   * @param signal ends the wait
   * @throws the reason of `signal`, without having begun
   */
  async run<T>(task: () => Promise<T>, { isUrgent = true, signal }: SlotOptions = {}): Promise<T> {
    if (this.#running < this.#size) this.#running += 1;
    else await this.#wait(isUrgent ? this.#urgent : this.#rest, signal);
    try {
      return await task();
    } finally {
      // The task that ends hands its slot over.
      const [next] = this.#urgent.size > 0 ? this.#urgent : this.#rest;
      if (next === undefined) this.#running -= 1;
      else next.begin();
    }
  }

  #wait(queue: Set<Waiting>, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        queue.delete(waiting);
        signal?.removeEventListener('abort', give);
      };
      const give = (): void => {
        end();
        reject(signal?.reason as Error);
      };
      const waiting = {
        begin: () => {
          end();
          resolve();
        },
      };
      queue.add(waiting);
      signal?.addEventListener('abort', give, { once: true });
      if (signal?.aborted === true) give();
    });
  }
}

export interface SlotOptions {
  /** Default true. */
  isUrgent?: boolean;
  signal?: AbortSignal | undefined;
}
