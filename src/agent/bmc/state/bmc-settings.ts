import type { IpmiSettings, SettingsStore } from '../../../protocols/ipmi/index.ts';

/** Settings that end with the process. */
export class BmcSettings implements SettingsStore {
  #settings: IpmiSettings = {};

  current(): IpmiSettings {
    return this.#settings;
  }

  change(change: Partial<IpmiSettings>): Promise<void> {
    this.#settings = { ...this.#settings, ...change };
    return Promise.resolve();
  }
}
