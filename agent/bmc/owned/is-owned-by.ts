import type { KubeObject } from '@groundcrew/controller-runtime';

/** Whether an object is that very object's, and not one's of the same name that is gone, nor a person's. */
export function isOwnedBy({ metadata }: KubeObject, owner: KubeObject): boolean {
  return metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid) ?? false;
}
