import { ApiError, isNotFound, type KubeObject } from '@groundcrew/controller-runtime';

/** Others were quicker: the object is another version by now, or gone. Who reads it again can go on. */
export function isLostRace(error: unknown): boolean {
  return isNotFound(error) || (error instanceof ApiError && error.status === 409);
}

/** The newer of an object's version in a cache and one that a write or a read gave; the cache decides whether it still exists. */
export function newerOf<T extends KubeObject>(cached: T, seen: T | undefined): T {
  if (seen?.metadata.uid !== cached.metadata.uid || seen === undefined) return cached;
  return versionOf(seen) > versionOf(cached) ? seen : cached;
}

/** Kubernetes ≥ 1.35 promises that the versions of one resource are numbers in order; those before kept to it. */
function versionOf({ metadata: { resourceVersion = '' } }: KubeObject): bigint {
  return /^\d+$/.test(resourceVersion) ? BigInt(resourceVersion) : 0n;
}

/** Whether an object is that very object's, and not one's of the same name that is gone, nor a person's. */
export function isOwnedBy({ metadata }: KubeObject, owner: KubeObject): boolean {
  return metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid) ?? false;
}
