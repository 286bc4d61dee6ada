import type { Kind, KubeObject, ObjectRef } from '../objects.ts';
import type { Cache, Listener } from './cache.ts';

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

  byIndex(index: string, value: string): readonly T[] {
    return this.#caches.flatMap((cache) => cache.byIndex(index, value));
  }

  subscribe(listener: Listener<T>): () => void {
    const ends = this.#caches.map((cache) => cache.subscribe(listener));
    return () => {
      for (const end of ends) end();
    };
  }
}
