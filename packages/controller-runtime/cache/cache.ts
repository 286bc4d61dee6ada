import type { Kind, KubeObject, ObjectRef } from '../objects.ts';

/** A change of one object. */
export type Change<T extends KubeObject> =
  | { type: 'added'; object: T }
  | { type: 'modified'; object: T; previous: T }
  /** `object` is the last known state. */
  | { type: 'deleted'; object: T };

export type Listener<T extends KubeObject> = (change: Change<T>) => void;

/** The index values of an object, for `byIndex`; they must depend on nothing else. */
export type IndexFunction<T> = (object: T) => readonly string[];

/**
 * The last known objects of one kind on the API server. All readers share the objects and must not modify them. An
 * object may be older than a write that has just completed.
 */
export interface Cache<T extends KubeObject> {
  readonly kind: Kind<T>;
  /** Whether the initial list is complete. */
  readonly hasSynced: boolean;
  get(ref: ObjectRef): T | undefined;
  /** All objects, or the objects of one namespace. */
  list(namespace?: string): readonly T[];
  /** The names of these objects, which are not unpacked for it. */
  refs(namespace?: string): ObjectRef[];
  /** @throws TypeError for an unknown index */
  byIndex(index: string, value: string): readonly T[];
  /**
   * The names of these objects, which are not unpacked for it.
   *
   * @throws TypeError for an unknown index
   */
  refsByIndex(index: string, value: string): ObjectRef[];
  /**
   * Calls `listener` with 'added' for each existing object in a microtask, and then for each change after the cache is
   * updated. Exceptions of the listener are logged and otherwise ignored.
   *
   * @returns ends the subscription
   */
  subscribe(listener: Listener<T>): () => void;
}

/** Combines caches of several namespaces or several selections of one kind. No object may be in two of them. */
export class JoinedCache<T extends KubeObject> implements Cache<T> {
  readonly kind: Kind<T>;
  readonly #caches: readonly Cache<T>[];

  constructor(kind: Kind<T>, caches: readonly Cache<T>[]) {
    this.kind = kind;
    this.#caches = caches;
  }

  get hasSynced(): boolean {
    return this.#caches.every(({ hasSynced }) => hasSynced);
  }

  get(ref: ObjectRef): T | undefined {
    for (const cache of this.#caches) {
      const object = cache.get(ref);
      if (object !== undefined) return object;
    }
    return undefined;
  }

  list(namespace?: string): readonly T[] {
    return this.#caches.flatMap((cache) => cache.list(namespace));
  }

  refs(namespace?: string): ObjectRef[] {
    return this.#caches.flatMap((cache) => cache.refs(namespace));
  }

  byIndex(index: string, value: string): readonly T[] {
    return this.#caches.flatMap((cache) => cache.byIndex(index, value));
  }

  refsByIndex(index: string, value: string): ObjectRef[] {
    return this.#caches.flatMap((cache) => cache.refsByIndex(index, value));
  }

  subscribe(listener: Listener<T>): () => void {
    const ends = this.#caches.map((cache) => cache.subscribe(listener));
    return () => {
      for (const end of ends) end();
    };
  }
}
