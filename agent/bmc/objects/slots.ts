/**
 * When a task that waits for a slot gets one:
 * - `first`: before the others, in order
 * - `latest`: after these, and the latest before the earlier ones. For tasks that are given up after some time: in order, each would
 *   get its slot when it has little time left
 * - `last`: in order
 */
export type Rank = 'first' | 'latest' | 'last';

interface Waiting {
  readonly begin: () => void;
}

/** Runs a limited number of tasks at a time. */
export class Slots {
  readonly #size: number;
  readonly #mostInARow: number;
  readonly #waiting: Readonly<Record<Rank, Set<Waiting>>> = { first: new Set(), latest: new Set(), last: new Set() };
  #running = 0;
  /** Slots that went to tasks of other ranks since a `last` one got its slot. */
  #inARow = 0;

  /** @param options.mostInARow of other ranks while a `last` one waits; default: no limit */
  constructor(size: number, { mostInARow = Infinity }: { mostInARow?: number } = {}) {
    this.#size = size;
    this.#mostInARow = mostInARow;
  }

  /**
   * Settles as `task` does.
   *
   * @param signal ends the wait
   * @throws the reason of `signal`, without having begun
   */
  async run<T>(task: () => Promise<T>, { rank = 'first', signal }: SlotOptions = {}): Promise<T> {
    if (this.#running < this.#size) this.#running += 1;
    else await this.#wait(this.#waiting[rank], signal);
    try {
      return await task();
    } finally {
      // The task that ends hands its slot over.
      const next = this.#next();
      if (next === undefined) this.#running -= 1;
      else next.begin();
    }
  }

  #next(): Waiting | undefined {
    const { first, latest, last } = this.#waiting;
    const [early] = first.size > 0 ? first : [...latest].slice(-1);
    const [late] = last;
    if (early !== undefined && (late === undefined || this.#inARow < this.#mostInARow)) {
      this.#inARow += 1;
      return early;
    }
    this.#inARow = 0;
    return late;
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
  /** Default `first`. */
  rank?: Rank;
  signal?: AbortSignal | undefined;
}
