import type { Session } from '../session/session.ts';
import type { SettingsStore } from '../settings.ts';
import { type SolParameters, solParameters } from './sol-parameters.ts';

/** The SOL configuration parameters of a BMC, and who is changing them. */
export class SolConfiguration {
  readonly #settings: SettingsStore;
  #writer: Session | undefined;

  constructor(settings: SettingsStore) {
    this.#settings = settings;
  }

  get parameters(): SolParameters {
    return solParameters(this.#settings.current());
  }

  /** The session that has set "set in progress" and is still open. */
  get writer(): Session | undefined {
    return this.#writer?.isOpen === true ? this.#writer : undefined;
  }

  set writer(session: Session | undefined) {
    this.#writer = session;
  }

  /** Holds for activations from now on. @throws MachineError `Unavailable` */
  async change(change: Partial<SolParameters>): Promise<void> {
    await this.#settings.change(({ sol }) => ({ sol: { ...sol, ...change } }));
  }
}
