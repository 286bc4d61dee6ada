import type { IpmiSettings, SettingsStore } from '../ipmi/settings.ts';
import type { RedfishState, RedfishStateStore } from '../redfish/state.ts';

/** A store that ends with the process. */
class MemoryStore<State extends object> {
  #state: State;
  /** Thrown once, by the next change. */
  nextError: Error | undefined;

  constructor(state: State) {
    this.#state = state;
  }

  current(): State {
    return this.#state;
  }

  // oxlint-disable-next-line typescript/require-await -- the interface is asynchronous
  async change(edit: (stored: State) => Partial<State>): Promise<void> {
    const error = this.nextError;
    this.nextError = undefined;
    if (error !== undefined) throw error;
    this.#state = { ...this.#state, ...edit(this.#state) };
  }
}

export class MemorySettings extends MemoryStore<IpmiSettings> implements SettingsStore {
  constructor() {
    super({});
  }
}

export class MemoryRedfishState extends MemoryStore<RedfishState> implements RedfishStateStore {
  constructor() {
    super({});
  }
}
