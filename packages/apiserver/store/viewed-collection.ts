import type { Change, Collection } from './collection.ts';
import type { Stored } from './stored.ts';

/** A collection as one version of its resource shows it. */
export class ViewedCollection implements Pick<Collection, 'get' | 'sorted' | 'sortedAt' | 'since' | 'subscribe'> {
  readonly #collection: Collection;
  readonly #view: (stored: Stored) => Stored;

  constructor(collection: Collection, view: (stored: Stored) => Stored) {
    this.#collection = collection;
    this.#view = view;
  }

  get(key: string): Stored | undefined {
    const stored = this.#collection.get(key);
    return stored === undefined ? undefined : this.#view(stored);
  }

  sorted(): [string, Stored][] {
    return this.#viewed(this.#collection.sorted());
  }

  sortedAt(revision: number): [string, Stored][] | undefined {
    const entries = this.#collection.sortedAt(revision);
    return entries === undefined ? undefined : this.#viewed(entries);
  }

  since(revision: number): Change[] | undefined {
    return this.#collection.since(revision)?.map((change) => this.#change(change));
  }

  subscribe(listener: (change: Change) => void): () => void {
    return this.#collection.subscribe((change) => {
      listener(this.#change(change));
    });
  }

  #viewed(entries: [string, Stored][]): [string, Stored][] {
    return entries.map(([key, stored]) => [key, this.#view(stored)]);
  }

  #change(change: Change): Change {
    const { current, previous } = change;
    return {
      ...change,
      current: this.#view(current),
      ...(previous === undefined ? {} : { previous: this.#view(previous) }),
    };
  }
}
