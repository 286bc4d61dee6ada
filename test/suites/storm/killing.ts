import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningManager } from '../../harness/index.ts';

/** Longest that a manager lives, ms after it is ready. */
const LONGEST_LIFE = 600;

/** Kills a manager and starts it again, over and over, at moments that nobody can foresee. */
export class Killing {
  /** How long each life was, ms after it was ready: what a failure is to be told with. */
  readonly lives: number[] = [];
  readonly #manager: RunningManager;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;

  constructor(manager: RunningManager) {
    this.#manager = manager;
    this.#ended = this.#kill();
    // Told to whoever ends it, and not before.
    this.#ended.catch(() => undefined);
  }

  /** Resolves when the manager runs and is left alone; rejects where it did not start again. */
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
