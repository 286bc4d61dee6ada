import type { Logger } from '@groundcrew/controller-runtime';
import { keyOf, type ApiObject } from '../objects.ts';
import { Collection, type Change, Stored } from './collection.ts';
import type { Disk } from './disk.ts';
import { Journal } from './journal.ts';
import type { Entry } from './log-file.ts';
import { recover } from './recover.ts';

export interface StoreOptions {
  /** Changes kept per resource, for watches and continued lists. Default 500. */
  historyLimit?: number;
}

export interface OpenOptions extends StoreOptions {
  disk: Disk;
  logger: Logger;
  /** See {@link JournalOptions}. */
  compactAt?: number;
}

/**
 * All objects, in memory. Each write increments the store's revision by one. Writes are synchronous: reads and writes
 * without an `await` between them form a transaction. A store with a disk journals each write before it notifies
 * listeners.
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

  /** Loads the store from disk; returns an empty store if the disk has no files. @throws StorageError */
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

  /**
   * Stores the object with the next resourceVersion. Do not change `object` afterwards.
   *
   * @throws StatusError if the disk cannot be written
   */
  put(name: string, object: ApiObject): Stored {
    return this.#write('put', name, object);
  }

  /**
   * Removes an object.
   *
   * @param last the state that DELETED events show
   * @returns `last` with the revision of the delete
   * @throws StatusError if the disk cannot be written
   */
  remove(name: string, last: ApiObject): Stored {
    return this.#write('remove', name, last);
  }

  /** Notifies of all present objects as ADDED, then of every later change in every collection. */
  subscribe(listener: (collection: string, change: Change) => void): () => void {
    const present = [...this.#collections].flatMap(([name, collection]) =>
      Array.from(collection.sorted(), ([key, current]) => ({ name, key, current })),
    );
    this.#listeners.add(listener);
    for (const { name, key, current } of present)
      listener(name, { type: 'ADDED', key, revision: current.revision, current });
    return () => this.#listeners.delete(listener);
  }

  /** Refuses further writes; resolves when all writes are synced. */
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

  /** The present objects; later changes do not affect the iteration. */
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

  /** `revision`: the start of the history if the collection is new. */
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
  // The cast is safe: the store wrote this JSON.
  return new Stored(JSON.parse(json) as ApiObject, revision, json);
}
