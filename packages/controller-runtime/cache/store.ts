import type { Logger } from '../logger.ts';
import { keyOf, type KubeObject, type ObjectRef } from '../objects.ts';
import type { Change, IndexFunction, Listener } from './cache.ts';

export interface StoreOptions<T extends KubeObject> {
  indexes: Record<string, IndexFunction<T>>;
  logger: Logger;
}

/** Objects by namespace and name, with indexes. Notifies listeners of each change. */
export class Store<T extends KubeObject> {
  readonly #logger: Logger;
  readonly #objects = new Map<string, T>();
  readonly #byNamespace = new ObjectIndex<T>((object) => [object.metadata.namespace ?? '']);
  readonly #indexes: ReadonlyMap<string, ObjectIndex<T>>;
  readonly #listeners = new Set<Listener<T>>();

  constructor(options: StoreOptions<T>) {
    this.#logger = options.logger;
    this.#indexes = new Map(
      Object.entries(options.indexes).map(([name, valuesOf]) => [name, new ObjectIndex(valuesOf)]),
    );
  }

  get size(): number {
    return this.#objects.size;
  }

  get(ref: ObjectRef): T | undefined {
    return this.#objects.get(keyOf(ref));
  }

  list(namespace?: string): readonly T[] {
    return namespace === undefined ? [...this.#objects.values()] : this.#byNamespace.get(namespace);
  }

  byIndex(name: string, value: string): readonly T[] {
    const index = this.#indexes.get(name);
    if (index === undefined) throw new TypeError(`no index ${name}: name it in the cache's indexes`);
    return index.get(value);
  }

  /** Whether the store holds exactly these objects in these versions. */
  holds(objects: readonly T[]): boolean {
    return (
      objects.length === this.size &&
      objects.every(({ metadata }) => {
        const kept = this.get(metadata)?.metadata;
        return kept?.uid === metadata.uid && kept?.resourceVersion === metadata.resourceVersion;
      })
    );
  }

  subscribe(listener: Listener<T>): () => void {
    this.#listeners.add(listener);
    for (const object of this.list()) this.#tell(listener, { type: 'added', object });
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Adds or updates an object. */
  put(object: T): void {
    const key = keyOf(object.metadata);
    const previous = this.#objects.get(key);
    if (previous === undefined) {
      this.#set(key, object);
      this.#tellAll({ type: 'added', object });
    } else if (previous.metadata.uid !== object.metadata.uid) {
      // The object was deleted and created again in between: two objects, one of them deleted.
      this.delete(previous);
      this.put(object);
    } else if (previous.metadata.resourceVersion !== object.metadata.resourceVersion) {
      this.#set(key, object);
      this.#tellAll({ type: 'modified', object, previous });
    }
  }

  /** Removes an object; `object` is its last state. */
  delete(object: T): void {
    const key = keyOf(object.metadata);
    if (!this.#objects.delete(key)) return;
    this.#byNamespace.delete(key);
    for (const index of this.#indexes.values()) index.delete(key);
    this.#tellAll({ type: 'deleted', object });
  }

  /** Replaces the content with `objects`. All other objects are reported as deleted. */
  replace(objects: readonly T[]): void {
    const present = new Set(objects.map((object) => keyOf(object.metadata)));
    for (const [key, object] of [...this.#objects]) if (!present.has(key)) this.delete(object);
    for (const object of objects) this.put(object);
  }

  #set(key: string, object: T): void {
    this.#objects.set(key, object);
    this.#byNamespace.set(key, object);
    for (const [name, index] of this.#indexes) {
      try {
        index.set(key, object);
      } catch (error) {
        this.#logger.error(
          { err: error, index: name, object: key },
          'an index function threw; the object is not in it',
        );
      }
    }
  }

  #tellAll(change: Change<T>): void {
    // A listener added during the loop has already received the current objects.
    for (const listener of [...this.#listeners]) {
      if (this.#listeners.has(listener)) this.#tell(listener, change);
    }
  }

  #tell(listener: Listener<T>, change: Change<T>): void {
    try {
      listener(change);
    } catch (error) {
      this.#logger.error(
        { err: error, change: change.type, object: keyOf(change.object.metadata) },
        'a listener threw',
      );
    }
  }
}

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
