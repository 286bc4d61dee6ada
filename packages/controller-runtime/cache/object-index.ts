import type { IndexFunction } from './cache.ts';
import { flat } from './flat.ts';

/**
 * Keys of objects by the values that an index function returns for each. One key of a value is stored without a set, and the values of an
 * object are not stored: the function returns them again for its previous state.
 */
export class ObjectIndex<T> {
  readonly #valuesOf: IndexFunction<T>;
  readonly #keys = new Map<string, string | Set<string>>();

  constructor(valuesOf: IndexFunction<T>) {
    this.#valuesOf = valuesOf;
  }

  /**
   * @param previous undefined: the object is new
   * @param object undefined: it is gone
   * @throws the function's error for `object`, which is then not in the index
   */
  change(key: string, previous: T | undefined, object: T | undefined): void {
    const before = this.#valuesBefore(previous);
    let now: readonly string[] = [];
    try {
      if (object !== undefined) now = this.#valuesOf(object);
    } finally {
      if (!isSame(before, now)) {
        for (const value of before) this.#delete(value, key);
        for (const value of now) this.#add(value, key);
      }
    }
  }

  get(value: string): Iterable<string> {
    const keys = this.#keys.get(value) ?? [];
    return typeof keys === 'string' ? [keys] : keys;
  }

  #valuesBefore(previous: T | undefined): readonly string[] {
    if (previous === undefined) return [];
    try {
      return this.#valuesOf(previous);
    } catch {
      return []; // it threw when the object was added, too
    }
  }

  #add(value: string, key: string): void {
    const keys = this.#keys.get(value);
    if (keys === undefined) this.#keys.set(flat(value), key);
    else if (typeof keys !== 'string') keys.add(key);
    else if (keys !== key) this.#keys.set(value, new Set([keys, key]));
  }

  #delete(value: string, key: string): void {
    const keys = this.#keys.get(value);
    if (keys === key) this.#keys.delete(value);
    if (keys === undefined || typeof keys === 'string') return;
    keys.delete(key);
    if (keys.size === 0) this.#keys.delete(value);
  }
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((each, at) => each === others[at]);
}
