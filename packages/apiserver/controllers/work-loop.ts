import type { Clock, Logger, Timer } from '@groundcrew/controller-runtime';

/** The first and the maximum retry delay in milliseconds. The delay doubles after each failure. */
const RETRY = 1000;
const MAX_RETRY = 60_000;

interface Options<T> {
  clock: Clock;
  logger: Logger;
  /** Processes an item; never called concurrently. An error is logged and the item is retried. */
  work: (item: T) => Promise<void>;
  /** The log message of a failure. */
  failure: string;
}

/** A work queue with one asynchronous worker. An item that is added several times before its turn is processed once. */
export class WorkLoop<T> {
  readonly #options: Options<T>;
  readonly #waiting = new Map<string, T>();
  readonly #failures = new Map<string, number>();
  readonly #timers = new Map<string, Timer>();
  #scheduled: NodeJS.Immediate | undefined;
  #isRunning = false;
  #isStopped = false;

  constructor(options: Options<T>) {
    this.#options = options;
  }

  add(key: string, item: T): void {
    if (this.#isStopped) return;
    this.#waiting.set(key, item);
    if (!this.#isRunning) this.#scheduled ??= setImmediate(() => void this.#run());
  }

  stop(): void {
    this.#isStopped = true;
    this.#waiting.clear();
    if (this.#scheduled !== undefined) clearImmediate(this.#scheduled);
    for (const timer of this.#timers.values()) timer.cancel();
  }

  async #run(): Promise<void> {
    this.#scheduled = undefined;
    this.#isRunning = true;
    for (const [key, item] of this.#waiting) {
      // Removed before the work: an item that is added during the work is processed again.
      this.#waiting.delete(key);
      await this.#attempt(key, item);
    }
    this.#isRunning = false;
  }

  async #attempt(key: string, item: T): Promise<void> {
    try {
      await this.#options.work(item);
      this.#failures.delete(key);
    } catch (error) {
      const failures = this.#failures.get(key) ?? 0;
      this.#failures.set(key, failures + 1);
      this.#options.logger.warn({ err: error, item: key }, this.#options.failure);
      if (!this.#isStopped) this.#retry(key, item, Math.min(RETRY * 2 ** failures, MAX_RETRY));
    }
  }

  #retry(key: string, item: T, delay: number): void {
    this.#timers.get(key)?.cancel();
    const again = (): void => {
      this.#timers.delete(key);
      this.add(key, item);
    };
    this.#timers.set(key, this.#options.clock.setTimeout(again, delay));
  }
}
