import type { Logger } from '../logger.ts';
import { keyOf, type KubeObject, type ObjectRef } from '../objects.ts';
import type { Change, IndexFunction, Listener } from './cache.ts';
import { flat } from './flat.ts';
import { ObjectIndex } from './object-index.ts';
import type { Packed, Packing } from './packing.ts';

export interface StoreOptions<T extends KubeObject> {
  indexes: Record<string, IndexFunction<T>>;
  /** Absent: objects are kept as they are. */
  packing?: Packing<T> | undefined;
  /** Packed objects that stay unpacked after they were read or written. Default 0. */
  unpacked?: number | undefined;
  logger: Logger;
}

/** Objects by namespace and name, with indexes. Notifies listeners of each change. */
export class Store<T extends KubeObject> {
  readonly #logger: Logger;
  readonly #objects: Objects<T>;
  readonly #indexes: ReadonlyMap<string, ObjectIndex<T>>;
  readonly #listeners = new Set<Listener<T>>();
  /** Listeners that have not been told the existing objects. */
  readonly #joining = new Set<Listener<T>>();

  constructor(options: StoreOptions<T>) {
    this.#logger = options.logger;
    const { packing, unpacked = 0 } = options;
    this.#objects = packing === undefined ? new Map<string, T>() : new PackedObjects(packing, unpacked);
    this.#indexes = new Map(
      Object.entries(options.indexes).map(([name, valuesOf]) => [name, new ObjectIndex(valuesOf)]),
    );
  }

  get size(): number {
    return this.#objects.size;
  }

  get(ref: ObjectRef): T | undefined {
    return this.getByKey(keyOf(ref));
  }

  getByKey(key: string): T | undefined {
    return this.#objects.get(key);
  }

  list(namespace?: string): readonly T[] {
    return namespace === undefined ? [...this.#objects.values()] : this.#all(this.#keysIn(namespace));
  }

  refs(namespace?: string): ObjectRef[] {
    return Array.from(namespace === undefined ? this.#objects.keys() : this.#keysIn(namespace), refFrom);
  }

  byIndex(index: string, value: string): readonly T[] {
    return this.#all(this.#index(index).get(value));
  }

  refsByIndex(index: string, value: string): ObjectRef[] {
    return Array.from(this.#index(index).get(value), refFrom);
  }

  /** Whether the store holds exactly these objects in these versions. */
  holds(objects: readonly T[]): boolean {
    return (
      objects.length === this.size &&
      objects.every(({ metadata }) => {
        const kept = this.get(metadata)?.metadata;
        return kept?.uid === metadata.uid && kept?.resourceVersion === metadata.resourceVersion;
      })
    );
  }

  subscribe(listener: Listener<T>): () => void {
    if (this.size === 0) {
      this.#listeners.add(listener);
    } else {
      if (this.#joining.size === 0) {
        queueMicrotask(() => {
          this.#join();
        });
      }
      this.#joining.add(listener);
    }
    return () => {
      this.#listeners.delete(listener);
      this.#joining.delete(listener);
    };
  }

  /** Adds or updates an object. */
  put(object: T): void {
    const key = keyOf(object.metadata);
    const previous = this.#objects.get(key);
    if (previous === undefined) {
      this.#set(flat(key), undefined, object);
      this.#tellAll({ type: 'added', object });
    } else if (previous.metadata.uid !== object.metadata.uid) {
      // The object was deleted and created again in between: two objects, one of them deleted.
      this.delete(previous);
      this.put(object);
    } else if (previous.metadata.resourceVersion !== object.metadata.resourceVersion) {
      this.#set(key, previous, object);
      this.#tellAll({ type: 'modified', object, previous });
    }
  }

  /** Removes an object; `object` is its last state. */
  delete(object: T): void {
    const key = keyOf(object.metadata);
    const previous = this.#objects.get(key);
    if (previous === undefined) return;
    this.#objects.delete(key);
    for (const index of this.#indexes.values()) index.change(key, previous, undefined);
    this.#tellAll({ type: 'deleted', object });
  }

  /** Removes all objects with other keys. */
  retain(keys: ReadonlySet<string>): void {
    for (const key of [...this.#objects.keys()]) {
      const object = keys.has(key) ? undefined : this.#objects.get(key);
      if (object !== undefined) this.delete(object);
    }
  }

  /** Controllers start together: each packed object is unpacked once for all of their listeners. */
  #join(): void {
    const joining = [...this.#joining];
    this.#joining.clear();
    for (const listener of joining) this.#listeners.add(listener);
    for (const key of [...this.#objects.keys()]) {
      const object = this.#objects.get(key);
      if (object !== undefined) this.#tellThese(joining, { type: 'added', object });
    }
  }

  #all(keys: Iterable<string>): T[] {
    return Array.from(keys, (key) => this.#objects.get(key)).filter((object) => object !== undefined);
  }

  /** Reads all names: it is for rare questions. */
  #keysIn(namespace: string): string[] {
    return [...this.#objects.keys()].filter((key) => key.startsWith(`${namespace}/`));
  }

  #index(name: string): ObjectIndex<T> {
    const index = this.#indexes.get(name);
    if (index === undefined) throw new TypeError(`no index ${name}: name it in the cache's indexes`);
    return index;
  }

  #set(key: string, previous: T | undefined, object: T): void {
    this.#objects.set(key, object);
    for (const [name, index] of this.#indexes) {
      try {
        index.change(key, previous, object);
      } catch (error) {
        this.#logger.error(
          { err: error, index: name, object: key },
          'an index function threw; the object is not in it',
        );
      }
    }
  }

  #tellAll(change: Change<T>): void {
    // A listener added during the loop is told the current objects.
    this.#tellThese([...this.#listeners], change);
  }

  #tellThese(listeners: readonly Listener<T>[], change: Change<T>): void {
    for (const listener of listeners) if (this.#listeners.has(listener)) this.#tell(listener, change);
  }

  #tell(listener: Listener<T>, change: Change<T>): void {
    try {
      listener(change);
    } catch (error) {
      this.#logger.error(
        { err: error, change: change.type, object: keyOf(change.object.metadata) },
        'a listener threw',
      );
    }
  }
}

/** The name in a key. */
function refFrom(key: string): ObjectRef {
  const slash = key.indexOf('/');
  const name = key.slice(slash + 1);
  return slash === 0 ? { name } : { namespace: key.slice(0, slash), name };
}

interface Objects<T> {
  readonly size: number;
  get(key: string): T | undefined;
  set(key: string, object: T): void;
  delete(key: string): boolean;
  keys(): Iterable<string>;
  values(): Iterable<T>;
}

/** A map that unpacks objects when they are read: each time another copy, but for those that it keeps unpacked. */
class PackedObjects<T extends KubeObject> implements Objects<T> {
  readonly #packing: Packing<T>;
  readonly #packed = new Map<string, Packed>();
  /** The oldest first. */
  readonly #unpacked = new Map<string, T>();
  readonly #mostUnpacked: number;

  /** @param unpacked objects that are kept unpacked, too */
  constructor(packing: Packing<T>, unpacked: number) {
    this.#packing = packing;
    this.#mostUnpacked = unpacked;
  }

  get size(): number {
    return this.#packed.size;
  }

  get(key: string): T | undefined {
    const unpacked = this.#unpacked.get(key);
    if (unpacked !== undefined) return unpacked;
    const packed = this.#packed.get(key);
    if (packed === undefined) return undefined;
    const object = this.#packing.unpack(packed);
    this.#keep(key, object);
    return object;
  }

  set(key: string, object: T): void {
    const before = this.#packed.get(key);
    this.#packed.set(key, this.#packing.pack(object));
    if (before !== undefined) this.#packing.release(before);
    this.#unpacked.delete(key);
    this.#keep(key, object);
  }

  delete(key: string): boolean {
    const before = this.#packed.get(key);
    if (before !== undefined) this.#packing.release(before);
    this.#unpacked.delete(key);
    return this.#packed.delete(key);
  }

  keys(): Iterable<string> {
    return this.#packed.keys();
  }

  *values(): Generator<T, void> {
    for (const packed of this.#packed.values()) yield this.#packing.unpack(packed);
  }

  #keep(key: string, object: T): void {
    if (this.#mostUnpacked === 0) return;
    this.#unpacked.set(key, object);
    const [oldest] = this.#unpacked.keys();
    if (this.#unpacked.size > this.#mostUnpacked && oldest !== undefined) this.#unpacked.delete(oldest);
  }
}
