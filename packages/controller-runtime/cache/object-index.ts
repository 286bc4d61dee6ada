import type { IndexFunction } from './cache.ts';

/** Keys of objects by the values that an index function returns for each. One key or value is stored without a set or list. */
export class ObjectIndex<T> {
  readonly #valuesOf: IndexFunction<T>;
  readonly #byValue = new Map<string, string | Set<string>>();
  readonly #byKey = new Map<string, string | readonly string[]>();

  constructor(valuesOf: IndexFunction<T>) {
    this.#valuesOf = valuesOf;
  }

  /** If the function throws, the object is not in the index. */
  set(key: string, object: T): void {
    const before = this.#byKey.get(key);
    let values: readonly string[];
    try {
      values = this.#valuesOf(object);
    } catch (error) {
      this.delete(key);
      throw error;
    }
    if (before !== undefined && isSame(listOf(before), values)) return;
    this.delete(key);
    const [only] = values;
    if (only === undefined) return;
    this.#byKey.set(key, values.length === 1 ? only : values);
    for (const value of values) {
      const keys = this.#byValue.get(value);
      if (keys === undefined || keys === key) this.#byValue.set(value, key);
      else if (typeof keys === 'string') this.#byValue.set(value, new Set([keys, key]));
      else keys.add(key);
    }
  }

  delete(key: string): void {
    for (const value of listOf(this.#byKey.get(key))) {
      const keys = this.#byValue.get(value);
      if (keys === key) this.#byValue.delete(value);
      if (keys === undefined || typeof keys === 'string') continue;
      keys.delete(key);
      if (keys.size === 0) this.#byValue.delete(value);
    }
    this.#byKey.delete(key);
  }

  get(value: string): Iterable<string> {
    return listOf(this.#byValue.get(value));
  }
}

function listOf(stored: string | readonly string[] | undefined): readonly string[];
function listOf(stored: string | Set<string> | undefined): Iterable<string>;
function listOf(stored: string | Iterable<string> = []): Iterable<string> {
  return typeof stored === 'string' ? [stored] : stored;
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((each, at) => each === others[at]);
}
