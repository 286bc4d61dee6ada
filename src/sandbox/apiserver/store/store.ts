import { keyOf, type ApiObject } from '../objects.ts';
import { Collection, type Change } from './collection.ts';
import { Stored } from './stored.ts';

export interface StoreOptions {
  /** Changes remembered per resource, for watches and continued lists. Default 500. */
  historyLimit?: number;
}

/**
 * All objects, in memory, under one revision that grows by one with each write. Every write is one synchronous call,
 * so what is read and written without an `await` between is a transaction.
 */
export class Store {
  readonly #collections = new Map<string, Collection>();
  readonly #listeners = new Set<(collection: string, change: Change) => void>();
  readonly #limit: number;
  #revision = 1;

  constructor(options: StoreOptions = {}) {
    this.#limit = options.historyLimit ?? 500;
  }

  get revision(): number {
    return this.#revision;
  }

  collection(name: string): Collection {
    let collection = this.#collections.get(name);
    if (collection === undefined) {
      collection = new Collection(this.#limit, this.#revision);
      this.#collections.set(name, collection);
    }
    return collection;
  }

  names(): string[] {
    return [...this.#collections.keys()];
  }

  /** Stores the object under its next resourceVersion; `object` must not be changed afterwards. */
  put(name: string, object: ApiObject): Stored {
    const collection = this.collection(name);
    const key = keyOf(object.metadata);
    const previous = collection.get(key);
    const current = this.#next(object);
    this.#record(name, collection, {
      type: previous === undefined ? 'ADDED' : 'MODIFIED',
      key,
      revision: this.#revision,
      current,
      ...(previous === undefined ? {} : { previous }),
    });
    return current;
  }

  /** Removes the object; `last` is the state that watchers are told of. Returns what they are told. */
  remove(name: string, last: ApiObject): Stored {
    const collection = this.collection(name);
    const key = keyOf(last.metadata);
    const previous = collection.get(key);
    const current = this.#next(last);
    this.#record(name, collection, {
      type: 'DELETED',
      key,
      revision: this.#revision,
      current,
      ...(previous === undefined ? {} : { previous }),
    });
    return current;
  }

  /** Told of every change in every collection, after it is done. */
  subscribe(listener: (collection: string, change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #next(object: ApiObject): Stored {
    this.#revision += 1;
    const metadata = { ...object.metadata, resourceVersion: String(this.#revision) };
    return new Stored({ ...object, metadata }, this.#revision);
  }

  #record(name: string, collection: Collection, change: Change): void {
    collection.record(change);
    for (const listener of this.#listeners) listener(name, change);
  }
}
