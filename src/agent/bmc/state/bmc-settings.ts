import type { IpmiSettings, SettingsStore } from '../../../protocols/ipmi/index.ts';
import type { EntryFormat, StateEntry } from './state-entry.ts';

/** What clients changed by IPMI, as JSON. */
export const SETTINGS_FORMAT: EntryFormat<IpmiSettings> = {
  key: 'settings',
  empty: {},
  decode(text) {
    try {
      const value = JSON.parse(text) as unknown;
      // What agents wrote is what they take; they alone write it.
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { value, isWhole: true };
    } catch {
      // Not JSON.
    }
    return { value: {}, isWhole: false };
  },
  encode: (settings) => JSON.stringify(settings),
};

/** The settings of a BMC, which outlive its agent. */
export class BmcSettings implements SettingsStore {
  readonly #entry: StateEntry<IpmiSettings>;

  constructor(entry: StateEntry<IpmiSettings>) {
    this.#entry = entry;
  }

  current(): IpmiSettings {
    return this.#entry.current();
  }

  async change(edit: (stored: IpmiSettings) => Partial<IpmiSettings>): Promise<void> {
    await this.#entry.change((stored) => ({ ...stored, ...edit(stored) }));
  }
}
