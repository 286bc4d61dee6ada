import type { Draft, Role } from '@groundcrew/controller-runtime';
import { rightsMetadata, type Scope } from './scope.ts';

/** What the network's agents may do in a namespace of pools: read pools and leases, and say of leases what they saw. */
export function role(scope: Scope, namespace: string): Draft<Role> {
  const read = ['get', 'list', 'watch'];
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: rightsMetadata(scope, namespace),
    rules: [
      { apiGroups: ['network.harvesterhci.io'], resources: ['ippools'], verbs: read },
      { apiGroups: ['network.harvesterhci.io'], resources: ['ipleases'], verbs: read },
      { apiGroups: ['network.harvesterhci.io'], resources: ['ipleases/status'], verbs: ['get', 'patch'] },
      { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
    ],
  };
}
