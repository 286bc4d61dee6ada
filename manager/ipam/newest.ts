import {
  isAsNew,
  keyOf,
  type Cache,
  type Change,
  type Clock,
  type KubeObject,
  type ObjectRef,
} from '@groundcrew/controller-runtime';

/** Maximum assumed lag of a cache, milliseconds; after that the cached state is used. */
const LAG = 30_000;

interface Written<T> {
  object: T;
  at: number;
}

/**
 * The objects of a cache, overridden by this process's own writes until the cache has them. Otherwise a reconcile right
 * after a write would not see a new lease and would create a second one.
 */
export class Newest<T extends KubeObject> {
  readonly #cache: Cache<T>;
  readonly #clock: Clock;
  /** By namespace and name, oldest first. */
  readonly #written = new Map<string, Written<T>>();

  constructor(cache: Cache<T>, clock: Clock) {
    this.#cache = cache;
    this.#clock = clock;
    cache.subscribe((change) => {
      this.#told(change);
    });
  }

  get(ref: ObjectRef): T | undefined {
    return this.#newer(keyOf(ref), this.#cache.get(ref));
  }

  /**
   * The cached objects of an index value, and matching objects written since.
   *
   * @param isFound whether the index has an object under that value
   */
  find(index: string, value: string, isFound: (object: T) => boolean): T[] {
    const found = new Map<string, T>();
    for (const cached of this.#cache.byIndex(index, value)) {
      const key = keyOf(cached.metadata);
      found.set(key, this.#newer(key, cached) ?? cached);
    }
    for (const key of this.#written.keys()) {
      if (found.has(key)) continue;
      const object = this.#newer(key, undefined);
      if (object !== undefined && isFound(object)) found.set(key, object);
    }
    return [...found.values()];
  }

  /** Number of matching objects that were written and that the cache does not have yet. The cost grows with the writes under way. */
  countUnseen(isFound: (object: T) => boolean): number {
    let count = 0;
    for (const [key, { object }] of this.#written) {
      if (this.#cache.get(object.metadata) !== undefined) continue;
      const written = this.#newer(key, undefined);
      if (written !== undefined && isFound(written)) count += 1;
    }
    return count;
  }

  /** Records the result of a write or of a read from the server. */
  note(object: T): void {
    const cached = this.#cache.get(object.metadata);
    if (cached !== undefined && isAsNew(cached, object)) return;
    const key = keyOf(object.metadata);
    this.#written.delete(key);
    this.#written.set(key, { object, at: this.#clock.monotonic() });
    this.#forgetLongPast();
  }

  /** Records that the object no longer exists on the server. */
  forget({ metadata }: T): void {
    this.#written.delete(keyOf(metadata));
  }

  /** Forgets old entries that the cache will never report, because the watch reported their deletion before. */
  #forgetLongPast(): void {
    for (const [key, { at }] of this.#written) {
      if (this.#clock.monotonic() - at <= LAG) return;
      this.#written.delete(key);
    }
  }

  #newer(key: string, cached: T | undefined): T | undefined {
    const written = this.#written.get(key);
    if (written === undefined) return cached;
    if (this.#clock.monotonic() - written.at <= LAG && (cached === undefined || !isAsNew(cached, written.object)))
      return written.object;
    this.#written.delete(key);
    return cached;
  }

  #told({ type, object }: Change<T>): void {
    const key = keyOf(object.metadata);
    const written = this.#written.get(key);
    if (written === undefined) return;
    const isGone = type === 'deleted' && object.metadata.uid === written.object.metadata.uid;
    if (isGone || (type !== 'deleted' && isAsNew(object, written.object))) this.#written.delete(key);
  }
}
