import type { Session } from '../session/session.ts';
import type { SettingsStore } from '../settings.ts';
import { type SolParameters, solParameters } from './sol-parameters.ts';

/** The SOL configuration parameters of a BMC, and who is changing them. */
export class SolConfiguration {
  readonly #settings: SettingsStore;
  #writer: Session | undefined;
  #lastChange: Promise<void> = Promise.resolve();

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
    // Each keeps what the one before has stored.
    const turn = this.#lastChange.then(() =>
      this.#settings.change({ sol: { ...this.#settings.current().sol, ...change } }),
    );
    this.#lastChange = turn.catch(() => undefined);
    await turn;
  }
}
