import type { Secret } from '@groundcrew/controller-runtime';
import { SerialQueue } from '../../../protocols/serial-queue.ts';
import { type EditOptions, editWithRetry } from '../objects/edit-with-retry.ts';
import type { OwnedObject } from '../objects/owned-object.ts';

/** How a value stands in the Secret. */
export interface EntryFormat<T> {
  /** Key of the Secret. */
  key: string;
  /** Where nothing is stored. */
  empty: T;
  /** `isWhole`: all that stands there is understood. */
  decode: (text: string) => { value: T; isWhole: boolean };
  encode: (value: T) => string;
}

export interface StateEntryOptions<T> extends EditOptions {
  secret: OwnedObject<Secret>;
  format: EntryFormat<T>;
  /** Told once of a text that is not, or not wholly, understood. */
  onUnreadable: (key: string) => void;
}

/** One value that a BMC keeps in its Secret. A text that a person made unreadable is kept under `<key>.unreadable`. */
export class StateEntry<T> {
  readonly #options: StateEntryOptions<T>;
  readonly #queue = new SerialQueue();
  #known: { text: string | undefined; value: T };

  constructor(options: StateEntryOptions<T>) {
    this.#options = options;
    this.#known = { text: undefined, value: options.format.empty };
  }

  /** As stored last; the same value until something changes. */
  current(): T {
    const { secret, format, onUnreadable } = this.#options;
    const text = textIn(secret.object?.data, format.key);
    if (text === this.#known.text) return this.#known.value;
    const { value, isWhole } = this.#decoded(text);
    this.#known = { text, value };
    if (!isWhole) onUnreadable(format.key);
    return value;
  }

  /**
   * Stores what `edit` makes of the value as it stands in the API. It may be called several times, and what it throws comes through.
   *
   * @throws MachineError `Unavailable`, `Forbidden`
   */
  async change(edit: (stored: T) => T): Promise<void> {
    const { secret, format, clock, signal } = this.#options;
    const { key, encode } = format;
    await this.#queue.run(() =>
      editWithRetry(
        secret,
        (data) => {
          const { value, isWhole } = this.#decoded(textIn(data, key));
          const kept = isWhole ? {} : { [`${key}.unreadable`]: data[key] ?? '' };
          return { [key]: Buffer.from(encode(edit(value)), 'utf8').toString('base64'), ...kept };
        },
        { clock, signal },
      ),
    );
  }

  #decoded(text: string | undefined): { value: T; isWhole: boolean } {
    const { empty, decode } = this.#options.format;
    return text === undefined ? { value: empty, isWhole: true } : decode(text);
  }
}

function textIn(data: Readonly<Record<string, string>> | undefined, key: string): string | undefined {
  const encoded = data?.[key];
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8');
}

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
