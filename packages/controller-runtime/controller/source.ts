import type { Cache } from '../cache/index.ts';
import type { KubeObject, ObjectRef } from '../objects.ts';
import type { Predicate } from './predicates.ts';

/** A source of reconcile requests. */
export interface Source {
  /** Calls `enqueue` for all existing objects and then for changes. Returns a function that stops it. */
  start(enqueue: (ref: ObjectRef) => void): () => void;
}

/**
 * Enqueues the results of `map` for each added, modified or deleted object of a cache. For a modified object, `map` is
 * called with both states, so that previous references are reconciled too.
 *
 * @param predicate changes for which it returns false are ignored
 */
export function source<T extends KubeObject>(
  cache: Cache<T>,
  map: (object: T) => readonly ObjectRef[],
  predicate: Predicate<T> = () => true,
): Source {
  return {
    start: (enqueue) =>
      cache.subscribe((change) => {
        if (!predicate(change)) return;
        for (const ref of map(change.object)) enqueue(ref);
        if (change.type === 'modified') for (const ref of map(change.previous)) enqueue(ref);
      }),
  };
}
