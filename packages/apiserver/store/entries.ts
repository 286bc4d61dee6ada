import type { Stored } from './collection.ts';

/** The objects of a collection in key order. An object is read when it is reached, so that a page costs the same in a long list. */
export class Entries implements Iterable<[string, Stored]> {
  readonly #keys: readonly string[];
  readonly #get: (key: string) => Stored | undefined;

  /** @param keys sorted, each of an object */
  constructor(keys: readonly string[], get: (key: string) => Stored | undefined) {
    this.#keys = keys;
    this.#get = get;
  }

  /** Number of keys before `key`, which need not be one of them. */
  before(key: string): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#keys[middle] ?? '') < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  get length(): number {
    return this.#keys.length;
  }

  /** The entries from position `start` to before `end`. */
  *slice(start: number, end: number): Generator<[string, Stored], void> {
    for (let at = start; at < end; at += 1) {
      const key = this.#keys[at] ?? '';
      const stored = this.#get(key);
      if (stored !== undefined) yield [key, stored];
    }
  }

  [Symbol.iterator](): Generator<[string, Stored], void> {
    return this.slice(0, this.length);
  }

  /** The same, each object replaced when it is read. */
  viewed(view: (stored: Stored) => Stored): Entries {
    return new Entries(this.#keys, (key) => {
      const stored = this.#get(key);
      return stored === undefined ? undefined : view(stored);
    });
  }
}
