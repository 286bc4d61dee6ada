import {
  keyOf,
  type Cache,
  type Change,
  type Clock,
  type KubeObject,
  type ObjectRef,
} from '@groundcrew/controller-runtime';

/** How long a cache is believed to lag behind at most, milliseconds: after that what it says goes. */
const LAG = 30_000;

interface Written<T> {
  object: T;
  at: number;
}

/**
 * The objects of a cache as this process knows them: where it has written one itself and the cache has not been told of
 * that, as it was written. Without it a reconcile that follows a write would make a second lease for want of the first.
 */
export class Newest<T extends KubeObject> {
  readonly #cache: Cache<T>;
  readonly #clock: Clock;
  /** By namespace and name, the oldest first. */
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
   * The objects that the cache finds so, and those that were written since.
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

  /** Takes note of what a write or a read from the server gave. */
  note(object: T): void {
    const cached = this.#cache.get(object.metadata);
    if (cached !== undefined && isAsNew(cached, object)) return;
    const key = keyOf(object.metadata);
    this.#written.delete(key);
    this.#written.set(key, { object, at: this.#clock.now() });
    this.#forgetLongPast();
  }

  /** Takes note that the server does not know an object any more. */
  forget({ metadata }: T): void {
    this.#written.delete(keyOf(metadata));
  }

  /** What the cache will never tell of: written, or read, when the watch had told of its end already. */
  #forgetLongPast(): void {
    for (const [key, { at }] of this.#written) {
      if (this.#clock.now() - at <= LAG) return;
      this.#written.delete(key);
    }
  }

  #newer(key: string, cached: T | undefined): T | undefined {
    const written = this.#written.get(key);
    if (written === undefined) return cached;
    if (this.#clock.now() - written.at <= LAG && (cached === undefined || !isAsNew(cached, written.object)))
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

/** Kubernetes ≥ 1.35 promises that the versions of one resource are numbers in order; those before kept to it. */
function isAsNew({ metadata: a }: KubeObject, { metadata: b }: KubeObject): boolean {
  return versionOf(a.resourceVersion) >= versionOf(b.resourceVersion);
}

function versionOf(resourceVersion = ''): bigint {
  return /^\d+$/.test(resourceVersion) ? BigInt(resourceVersion) : 0n;
}
