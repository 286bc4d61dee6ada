import { SetInProgress } from '../session/set-in-progress.ts';
import type { SettingsStore } from '../settings.ts';
import { type SolParameters, solParameters } from './sol-parameters.ts';

/** The SOL configuration parameters of a BMC, and the session that is changing them. */
export class SolConfiguration {
  readonly #settings: SettingsStore;
  readonly setInProgress = new SetInProgress();

  constructor(settings: SettingsStore) {
    this.#settings = settings;
  }

  get parameters(): SolParameters {
    return solParameters(this.#settings.current());
  }

  /** Applies to later activations. @throws MachineError `Unavailable` */
  async change(change: Partial<SolParameters>): Promise<void> {
    await this.#settings.change(({ sol }) => ({ sol: { ...sol, ...change } }));
  }
}
