import type { RunningManager } from '../../harness/index.ts';

/** A manager that is started again whenever it ends, as by its Deployment. */
export class KeptManager {
  /** Exit codes of its ends; null: by a signal. */
  readonly exits: (number | null)[] = [];
  readonly #manager: RunningManager;
  readonly #kept: Promise<void>;
  #isClosing = false;

  /** @param manager started without waiting until it is ready */
  constructor(manager: RunningManager) {
    this.#manager = manager;
    this.#kept = this.#keep();
  }

  /** Ends it for good. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#manager.stop('SIGKILL');
    await this.#kept;
  }

  async #keep(): Promise<void> {
    for (;;) {
      const code = await this.#manager.ended();
      if (this.#isClosing) return;
      this.exits.push(code);
      await this.#manager.start();
    }
  }
}
