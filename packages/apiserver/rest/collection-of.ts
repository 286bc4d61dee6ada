import type { Resource } from '../resources/index.ts';
import { ViewedCollection, type Collection, type Store } from '../store/index.ts';

/** The stored objects of a resource, as its version shows them. */
export function collectionOf(store: Store, { collection, view }: Resource): Collection | ViewedCollection {
  const stored = store.collection(collection);
  return view === undefined ? stored : new ViewedCollection(stored, view);
}
