import type { Logger } from '@groundcrew/controller-runtime';
import { keyOf, type ApiObject } from '../objects.ts';
import { Collection, type Change, Stored } from './collection.ts';
import type { Disk } from './disk.ts';
import { Journal } from './journal.ts';
import type { Entry } from './log-file.ts';
import { recover } from './recover.ts';

export interface StoreOptions {
  /** Changes remembered per resource, for watches and continued lists. Default 500. */
  historyLimit?: number;
}

export interface OpenOptions extends StoreOptions {
  disk: Disk;
  logger: Logger;
  /** As {@link JournalOptions} has it. */
  compactAt?: number;
}

/**
 * All objects, in memory, under one revision that grows by one with each write. Every write is one synchronous call,
 * so what is read and written without an `await` between is a transaction. A store that was opened on a disk has each
 * write on the disk before a listener is notified.
 */
export class Store {
  readonly #collections = new Map<string, Collection>();
  readonly #listeners = new Set<(collection: string, change: Change) => void>();
  readonly #limit: number;
  #revision = 1;
  #journal: Journal | undefined;

  constructor(options: StoreOptions = {}) {
    this.#limit = options.historyLimit ?? 500;
  }

  /** The store as a disk has it; an empty one where it has none. @throws StorageError */
  static open(options: OpenOptions): Store {
    const store = new Store(options);
    const recovered = recover(options.disk, store.#revision);
    for (const entry of recovered.present) store.#load(entry, recovered.base);
    store.#revision = recovered.base;
    for (const entry of recovered.changes) store.#replay(entry, recovered.base);
    for (const collection of store.#collections.values()) collection.forbidWatchesBefore(store.#revision);
    store.#journal = Journal.open(options, recovered);
    return store;
  }

  get revision(): number {
    return this.#revision;
  }

  collection(name: string): Collection {
    return this.#collectionSince(name, this.#revision);
  }

  names(): string[] {
    return [...this.#collections.keys()];
  }

  /** Stores the object under its next resourceVersion; `object` must not be changed afterwards. @throws StatusError where the disk does not take it */
  put(name: string, object: ApiObject): Stored {
    return this.#write('put', name, object);
  }

  /**
   * Removes the object; `last` is the state that watchers are told of. Returns what they are told.
   *
   * @throws StatusError where the disk does not take it
   */
  remove(name: string, last: ApiObject): Stored {
    return this.#write('remove', name, last);
  }

  /** Told first of all that is there, as ADDED, and from then on of every change in every collection, after it is done. */
  subscribe(listener: (collection: string, change: Change) => void): () => void {
    const present = [...this.#collections].flatMap(([name, collection]) =>
      collection.sorted().map(([key, current]) => ({ name, key, current })),
    );
    this.#listeners.add(listener);
    for (const { name, key, current } of present)
      listener(name, { type: 'ADDED', key, revision: current.revision, current });
    return () => this.#listeners.delete(listener);
  }

  /** Resolves when the disk has all of it; it takes no more writes. */
  async close(): Promise<void> {
    await this.#journal?.close();
  }

  #write(type: Entry['type'], name: string, object: ApiObject): Stored {
    const revision = this.#revision + 1;
    const current = new Stored(
      { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } },
      revision,
    );
    this.#journal?.append({ type, collection: name, revision, json: current.json });
    const change = this.#record(type, this.collection(name), current);
    if (this.#journal?.isLong === true) this.#journal.compact(revision, this.#entries());
    for (const listener of this.#listeners) listener(name, change);
    return current;
  }

  #record(type: Entry['type'], collection: Collection, current: Stored): Change {
    const key = keyOf(current.object.metadata);
    const previous = collection.get(key);
    const change: Change = {
      type: type === 'remove' ? 'DELETED' : previous === undefined ? 'ADDED' : 'MODIFIED',
      key,
      revision: current.revision,
      current,
      ...(previous === undefined ? {} : { previous }),
    };
    this.#revision = current.revision;
    collection.record(change);
    return change;
  }

  /** The objects as they are now, whatever becomes of them while they are written. */
  #entries(): Iterable<Entry> {
    const present = [...this.#collections].map(([name, collection]) => ({ name, objects: [...collection.values()] }));
    return (function* () {
      for (const { name, objects } of present)
        for (const { revision, json } of objects) yield { type: 'put', collection: name, revision, json };
    })();
  }

  #load(entry: Entry, base: number): void {
    const stored = storedOf(entry);
    this.#collectionSince(entry.collection, base).load(keyOf(stored.object.metadata), stored);
  }

  #replay(entry: Entry, base: number): void {
    this.#record(entry.type, this.#collectionSince(entry.collection, base), storedOf(entry));
  }

  /** `revision`: since when all changes are known, where the collection is new. */
  #collectionSince(name: string, revision: number): Collection {
    let collection = this.#collections.get(name);
    if (collection === undefined) {
      collection = new Collection(this.#limit, revision);
      this.#collections.set(name, collection);
    }
    return collection;
  }
}

function storedOf({ json, revision }: Entry): Stored {
  // The server wrote it: it is an object of the API.
  return new Stored(JSON.parse(json) as ApiObject, revision, json);
}
