import { dhcpAgentName } from '../../../../api/index.ts';
import type { Draft, RoleBinding } from '@groundcrew/controller-runtime';
import type { WantedAgent } from '../wanted-agents.ts';
import { rightsMetadata, type Scope } from './scope.ts';

/** Binds the Role in a namespace of pools to all agents of the network. */
export function roleBinding(scope: Scope, namespace: string, agents: readonly WantedAgent[]): Draft<RoleBinding> {
  const metadata = rightsMetadata(scope, namespace);
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: metadata.name },
    subjects: agents.map(({ index }) => ({
      kind: 'ServiceAccount',
      name: dhcpAgentName(scope.network.name, index),
      namespace: scope.network.namespace,
    })),
  };
}
