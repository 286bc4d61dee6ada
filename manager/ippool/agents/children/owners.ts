import { IP_POOLS, type IPPool } from '../../../../api/index.ts';
import { apiVersionOf, type OwnerReference } from '@groundcrew/controller-runtime';

/**
 * The pools as owners of an object in a namespace: the cluster deletes the object with the last of them, even without a
 * manager. Owners must be in the object's namespace, and an object is deleted once all its owners are gone. So if one
 * of the pools is in another namespace, the object has no owners.
 */
export function ownersIn(namespace: string, pools: readonly IPPool[]): OwnerReference[] {
  if (pools.some(({ metadata }) => metadata.namespace !== namespace)) return [];
  return pools.map(({ metadata }) => ({
    apiVersion: apiVersionOf(IP_POOLS),
    kind: IP_POOLS.kind,
    name: metadata.name,
    uid: metadata.uid ?? '',
  }));
}
