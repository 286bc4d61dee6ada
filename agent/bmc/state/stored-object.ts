import type { EntryFormat, StateEntry } from './state-entry.ts';

/** An object of optional groups, as JSON. */
export function objectFormat<T extends object>(key: string): EntryFormat<Partial<T>> {
  return {
    key,
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
    encode: (stored) => JSON.stringify(stored),
  };
}

/** What a protocol keeps of a BMC, which outlives its agent. */
export class StoredObject<T extends object> {
  readonly #entry: StateEntry<Partial<T>>;

  constructor(entry: StateEntry<Partial<T>>) {
    this.#entry = entry;
  }

  current(): Partial<T> {
    return this.#entry.current();
  }

  /** @throws MachineError `Unavailable`, `Forbidden` */
  async change(edit: (stored: Partial<T>) => Partial<T>): Promise<void> {
    await this.#entry.change((stored) => ({ ...stored, ...edit(stored) }));
  }
}
