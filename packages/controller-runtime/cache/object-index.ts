import type { IndexFunction } from './cache.ts';

/** Objects under the values that a function finds in each. */
export class ObjectIndex<T> {
  readonly #valuesOf: IndexFunction<T>;
  readonly #byValue = new Map<string, Map<string, T>>();
  readonly #byKey = new Map<string, readonly string[]>();

  constructor(valuesOf: IndexFunction<T>) {
    this.#valuesOf = valuesOf;
  }

  /** Whatever the function throws leaves the object out of the index. */
  set(key: string, object: T): void {
    this.delete(key);
    const values = this.#valuesOf(object);
    this.#byKey.set(key, values);
    for (const value of values) {
      const objects = this.#byValue.get(value) ?? new Map<string, T>();
      objects.set(key, object);
      this.#byValue.set(value, objects);
    }
  }

  delete(key: string): void {
    for (const value of this.#byKey.get(key) ?? []) {
      const objects = this.#byValue.get(value);
      objects?.delete(key);
      if (objects?.size === 0) this.#byValue.delete(value);
    }
    this.#byKey.delete(key);
  }

  get(value: string): readonly T[] {
    return [...(this.#byValue.get(value)?.values() ?? [])];
  }
}
