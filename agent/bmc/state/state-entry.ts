import type { Secret } from '@groundcrew/controller-runtime';
import { SerialQueue } from '../../../protocols/serial-queue.ts';
import { type EditOptions, editWithRetry } from '../objects/edit-with-retry.ts';
import type { OwnedObject } from '../objects/owned-object.ts';

/** The format of a value in the Secret. */
export interface EntryFormat<T> {
  /** Key of the Secret. */
  key: string;
  /** The value if nothing is stored. */
  empty: T;
  /** `isWhole`: the whole text is valid. */
  decode: (text: string) => { value: T; isWhole: boolean };
  encode: (value: T) => string;
}

export interface StateEntryOptions<T> extends EditOptions {
  secret: OwnedObject<Secret>;
  format: EntryFormat<T>;
  /** Called once for a text that is not wholly valid. */
  onUnreadable: (key: string) => void;
}

/** One value in the Secret of a BMC. A text that a user made unreadable is kept under `<key>.unreadable`. */
export class StateEntry<T> {
  readonly #options: StateEntryOptions<T>;
  readonly #queue = new SerialQueue();
  #known: { text: string | undefined; value: T };

  constructor(options: StateEntryOptions<T>) {
    this.#options = options;
    this.#known = { text: undefined, value: options.format.empty };
  }

  /** The stored value. It keeps its identity until a change. */
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
   * Stores the result of `edit` for the value in the API. `edit` may be called several times; its errors are passed on.
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

/** An object with optional groups as JSON. */
export function objectFormat<T extends object>(key: string): EntryFormat<Partial<T>> {
  return {
    key,
    empty: {},
    decode(text) {
      try {
        const value = JSON.parse(text) as unknown;
        // Only agents write it, so its content is not validated.
        if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { value, isWhole: true };
      } catch {
        // Not JSON.
      }
      return { value: {}, isWhole: false };
    },
    encode: (stored) => JSON.stringify(stored),
  };
}

/** Data of a protocol that outlives the agent. */
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
