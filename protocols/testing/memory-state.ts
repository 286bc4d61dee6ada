import type { IpmiSettings, SettingsStore } from '../ipmi/settings.ts';
import type { RedfishState, RedfishStateStore } from '../redfish/state.ts';

/** A {@link SettingsStore} that ends with the process. */
export class MemorySettings implements SettingsStore {
  #settings: IpmiSettings = {};
  /** Thrown by the next change, once. */
  nextError: Error | undefined;

  current(): IpmiSettings {
    return this.#settings;
  }

  // oxlint-disable-next-line typescript/require-await -- the interface is asynchronous
  async change(edit: (stored: IpmiSettings) => Partial<IpmiSettings>): Promise<void> {
    const error = this.nextError;
    this.nextError = undefined;
    if (error !== undefined) throw error;
    this.#settings = { ...this.#settings, ...edit(this.#settings) };
  }
}

/** A {@link RedfishStateStore} that ends with the process. */
export class MemoryRedfishState implements RedfishStateStore {
  #state: RedfishState = {};
  /** Thrown by the next change, once. */
  nextError: Error | undefined;

  current(): RedfishState {
    return this.#state;
  }

  // oxlint-disable-next-line typescript/require-await -- the interface is asynchronous
  async change(edit: (stored: RedfishState) => Partial<RedfishState>): Promise<void> {
    const error = this.nextError;
    this.nextError = undefined;
    if (error !== undefined) throw error;
    this.#state = { ...this.#state, ...edit(this.#state) };
  }
}
