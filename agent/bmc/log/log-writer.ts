import type { Clock, Logger, Timer } from '@groundcrew/controller-runtime';

export interface LogWriterOptions {
  /** Writes all pending changes. */
  write: (signal: AbortSignal) => Promise<void>;
  hasWork: () => boolean;
  clock: Clock;
  logger: Logger;
}

/** Milliseconds from the first pending entry to the write, to batch the entries of one action. */
const DELAY = 1_000;
/** Milliseconds between two writes: a crash loses the entries of at most this time. */
const PERIOD = 5_000;
/** Milliseconds between failed attempts: the first delay, doubled each time, and the maximum. */
const RETRY = { base: 500, max: 30_000 };
/** Maximum milliseconds that the end of the process waits for the last write. */
const CLOSE_TIMEOUT = 2_000;

/** Schedules writes of a log: soon after a change, at most one in {@link PERIOD}, with backoff after errors. */
export class LogWriter {
  readonly #options: LogWriterOptions;
  readonly #stop = new AbortController();
  #timer: Timer | undefined;
  #running: Promise<void> | undefined;
  /** In monotonic ms. */
  #lastWrite = -Infinity;
  #failures = 0;
  #isClosed = false;

  constructor(options: LogWriterOptions) {
    this.#options = options;
  }

  /** Call after a change. */
  wake(): void {
    const { hasWork, clock } = this.#options;
    if (this.#isClosed || this.#timer !== undefined || this.#running !== undefined || !hasWork()) return;
    this.#timer = clock.setTimeout(() => {
      this.#timer = undefined;
      this.#run();
    }, this.#delay());
  }

  /** Stops; writes pending changes first, within {@link CLOSE_TIMEOUT}, unless `last` is false. */
  async close(last: boolean): Promise<void> {
    const { clock, hasWork } = this.#options;
    this.#isClosed = true;
    this.#timer?.cancel();
    if (!last) this.#stop.abort();
    const bound = clock.setTimeout(() => {
      this.#stop.abort();
    }, CLOSE_TIMEOUT);
    await this.#running;
    if (last && hasWork()) this.#run();
    await this.#running;
    bound.cancel();
    this.#stop.abort();
  }

  #delay(): number {
    if (this.#failures > 0) return Math.min(RETRY.max, RETRY.base * 2 ** (this.#failures - 1));
    return Math.max(DELAY, this.#lastWrite + PERIOD - this.#options.clock.monotonic());
  }

  #run(): void {
    this.#running = this.#attempt().finally(() => {
      this.#running = undefined;
      this.wake();
    });
  }

  /** Never rejects. */
  async #attempt(): Promise<void> {
    const { write, clock, logger } = this.#options;
    try {
      await write(this.#stop.signal);
      if (this.#failures > 0) logger.info({}, 'the event log is stored again');
      this.#failures = 0;
    } catch (error) {
      // Log only the first failure of a series.
      if (this.#failures === 0)
        logger.warn({ err: error }, 'the event log cannot be stored; its newest entries are kept in memory');
      this.#failures += 1;
    }
    this.#lastWrite = clock.monotonic();
  }
}
