import type { IndexFunction } from './cache.ts';

/** Objects by the values that an index function returns for each. */
export class ObjectIndex<T> {
  readonly #valuesOf: IndexFunction<T>;
  readonly #byValue = new Map<string, Map<string, T>>();
  readonly #byKey = new Map<string, readonly string[]>();

  constructor(valuesOf: IndexFunction<T>) {
    this.#valuesOf = valuesOf;
  }

  /** If the function throws, the object is not in the index. */
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
