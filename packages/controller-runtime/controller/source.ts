import type { Cache } from '../cache/index.ts';
import type { KubeObject, ObjectRef } from '../objects.ts';
import type { Predicate } from './predicates.ts';

/** Something that makes a controller look at objects. */
export interface Source {
  /** Calls `enqueue` for all that is there, and then for what changes. Returns what ends it. */
  start(enqueue: (ref: ObjectRef) => void): () => void;
}

/**
 * Makes a controller look at what `map` finds in each object of a cache that is added, modified or deleted. Of a
 * modified object both states are asked, so that what a reference pointed to before is looked at too.
 *
 * @param predicate changes for which it gives false are passed over
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
