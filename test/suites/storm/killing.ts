import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningManager } from '../../harness/index.ts';

/** Maximum lifetime of a manager after it is ready, in ms. */
const LONGEST_LIFE = 600;

/** Kills and restarts a manager repeatedly at random times. */
export class Killing {
  /** Lifetimes in ms after ready, for the report of a failure. */
  readonly lives: number[] = [];
  readonly #manager: RunningManager;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;

  constructor(manager: RunningManager) {
    this.#manager = manager;
    this.#ended = this.#kill();
    // The error is reported by `end`.
    this.#ended.catch(() => undefined);
  }

  /** Stops the kills and resolves when the manager is running; rejects if it did not restart. */
  async end(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  async #kill(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const life = Math.floor(Math.random() * LONGEST_LIFE);
      await sleep(life);
      await this.#manager.stop('SIGKILL');
      this.lives.push(life);
      await this.#manager.start();
    }
  }
}
