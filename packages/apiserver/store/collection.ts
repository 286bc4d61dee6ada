import type { ApiObject } from '../objects.ts';
import { Entries } from './entries.ts';

/** One write. `previous` is absent for ADDED. For DELETED, `current` is the last state, with the revision of the delete. */
export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly key: string;
  readonly revision: number;
  readonly current: Stored;
  readonly previous?: Stored;
}

/** The objects of one resource and its most recent changes. */
export class Collection {
  readonly #objects = new Map<string, Stored>();
  readonly #history: Change[] = [];
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #limit: number;
  #forgotten: number;
  #watchable = 0;
  #keys: readonly string[] | undefined;

  /**
   * @param limit how many changes to keep
   * @param revision the store's revision when the collection is created
   */
  constructor(limit: number, revision: number) {
    this.#limit = limit;
    this.#forgotten = revision;
  }

  get(key: string): Stored | undefined {
    return this.#objects.get(key);
  }

  get size(): number {
    return this.#objects.size;
  }

  /** All objects, unordered. */
  values(): Iterable<Stored> {
    return this.#objects.values();
  }

  /** All objects with their keys, in key order. */
  sorted(): Entries {
    return new Entries(this.#sortedKeys(), (key) => this.#objects.get(key));
  }

  /** The objects as they were at `revision`, in key order; undefined if the history no longer contains it. */
  sortedAt(revision: number): Entries | undefined {
    const later = this.#after(revision);
    if (later === undefined) return undefined;
    if (later.length === 0) return this.sorted();
    const keys = this.#sortedKeys();
    /** Undefined: it did not exist. */
    const then = new Map<string, Stored | undefined>();
    for (const { key, previous } of later.reverse()) then.set(key, previous);
    const getThen = (key: string): Stored | undefined => (then.has(key) ? then.get(key) : this.#objects.get(key));
    const isSame = [...then].every(([key, stored]) => (stored !== undefined) === this.#objects.has(key));
    if (isSame) return new Entries(keys, getThen);
    const all = new Set([...keys, ...then.keys()]);
    for (const [key, stored] of then) if (stored === undefined) all.delete(key);
    return new Entries([...all].sort(), getThen);
  }

  #sortedKeys(): readonly string[] {
    this.#keys ??= [...this.#objects.keys()].sort();
    return this.#keys;
  }

  /** The changes after `revision`, oldest first, for a watch; undefined if the history does not contain all of them. */
  since(revision: number): Change[] | undefined {
    return revision < this.#watchable ? undefined : this.#after(revision);
  }

  /**
   * Refuses watches that start before `revision`. A restarted kube-apiserver has etcd's history for lists, but starts
   * its watch cache with the present objects.
   */
  forbidWatchesBefore(revision: number): void {
    this.#watchable = revision;
  }

  #after(revision: number): Change[] | undefined {
    if (revision < this.#forgotten) return undefined;
    let low = 0;
    let high = this.#history.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const change = this.#history[middle];
      if (change !== undefined && change.revision <= revision) low = middle + 1;
      else high = middle;
    }
    return this.#history.slice(low);
  }

  subscribe(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Adds an object from the disk, without a change. */
  load(key: string, stored: Stored): void {
    this.#objects.set(key, stored);
    this.#keys = undefined;
  }

  /** Stores a change and notifies the listeners. */
  record(change: Change): void {
    if (change.type === 'DELETED') this.#objects.delete(change.key);
    else this.#objects.set(change.key, change.current);
    if (change.type !== 'MODIFIED') this.#keys = undefined;
    this.#history.push(change);
    // Cut in batches: to remove one entry at a time would copy the array on each write.
    if (this.#history.length > this.#limit * 1.25) {
      const cut = this.#history.splice(0, this.#history.length - this.#limit);
      this.#forgotten = cut.at(-1)?.revision ?? this.#forgotten;
    }
    for (const listener of this.#listeners) listener(change);
  }
}

/** A stored object with its JSON text, which is built once. */
export class Stored {
  readonly object: ApiObject;
  readonly revision: number;
  #json: string | undefined;
  #itemJson: string | undefined;

  /** `json`: its JSON text, if known. */
  constructor(object: ApiObject, revision: number, json?: string) {
    this.object = object;
    this.revision = revision;
    this.#json = json;
  }

  /** As an item of a list of a built-in kind: without `apiVersion` and `kind`, as in Go. */
  get itemJson(): string {
    const { apiVersion: _apiVersion, kind: _kind, ...rest } = this.object;
    this.#itemJson ??= JSON.stringify(rest);
    return this.#itemJson;
  }

  get json(): string {
    this.#json ??= JSON.stringify(this.object);
    return this.#json;
  }
}

/** A collection whose objects are converted to one version of the resource. */
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

  sorted(): Entries {
    return this.#collection.sorted().viewed(this.#view);
  }

  sortedAt(revision: number): Entries | undefined {
    return this.#collection.sortedAt(revision)?.viewed(this.#view);
  }

  since(revision: number): Change[] | undefined {
    return this.#collection.since(revision)?.map((change) => this.#change(change));
  }

  subscribe(listener: (change: Change) => void): () => void {
    return this.#collection.subscribe((change) => {
      listener(this.#change(change));
    });
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
