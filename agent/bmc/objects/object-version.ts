import { ApiError, isAsNew, isNotFound, type KubeObject } from '@groundcrew/controller-runtime';

/** The object has changed or was deleted since it was read. */
export function isGoneOrChanged(error: unknown): boolean {
  return isNotFound(error) || (error instanceof ApiError && error.status === 409);
}

/** The newer version of an object: from the cache, or the last one read or written. */
export function newerOf<T extends KubeObject>(cached: T, seen: T | undefined): T {
  if (seen?.metadata.uid !== cached.metadata.uid || seen === undefined) return cached;
  return isAsNew(cached, seen) ? cached : seen;
}

/** The version of an object that this process has last read or written itself, until the watch has caught up. */
export class OwnVersion<T extends KubeObject> {
  #object: T | undefined;

  /** What was noted last; undefined once the watch has shown it, a newer version, or another object of that name. */
  get object(): T | undefined {
    return this.#object;
  }

  /** @param object undefined: it does not exist */
  note(object: T | undefined): void {
    this.#object = object;
  }

  /** The newer one of it and of the version that the watch has. */
  over(cached: T): T {
    const newest = newerOf(cached, this.#object);
    if (newest === cached) this.#object = undefined;
    return newest;
  }
}

/** Whether `owner` owns the object; not if a deleted object of the same name or a user owns it. */
export function isOwnedBy({ metadata }: KubeObject, owner: KubeObject): boolean {
  return metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid) ?? false;
}
