import type { Draft, Role } from '@groundcrew/controller-runtime';
import { rightsMetadata, type Scope } from './scope.ts';

/** Permissions of the network's agents in a namespace of pools: read pools and leases, write the status of leases. */
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
