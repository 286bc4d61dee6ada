import { IP_POOLS, type IPPool } from '../../../../api/index.ts';
import { apiVersionOf, type OwnerReference } from '@groundcrew/controller-runtime';

/**
 * The pools as owners of what is made for them in a namespace: with the last of them the cluster collects it, also
 * where no manager is left to do so. An owner must be in the object's own namespace, and an object whose owners there
 * are all gone is collected whoever else needs it: so where one of the pools is elsewhere, it has none.
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
