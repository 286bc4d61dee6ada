import {
  dhcpAgentName,
  networkLabel,
  IP_POOLS,
  type IPPool,
  type NetworkAttachmentDefinition,
} from '../../../../api/index.ts';
import type { AgentOverrides, AgentSettings } from '../../../agent-workload/index.ts';
import { agentLabels, NETWORK_ANNOTATION, type NetworkRef } from '../identity.ts';
import { apiVersionOf, type OwnerReference } from '@groundcrew/controller-runtime';

/** The inputs for all objects of a network's agents. */
export interface Scope {
  network: NetworkRef;
  attachment: NetworkAttachmentDefinition;
  /** Pools with agents, oldest first. */
  pools: readonly IPPool[];
  /** Of the installation and the deciding pool. */
  settings: AgentSettings;
  /** `spec.agent` of the deciding pool. */
  overrides?: AgentOverrides | undefined;
}

/** `namespace/name` of the network. */
export function keyOfScope({ network }: Scope): string {
  return `${network.namespace}/${network.name}`;
}

/** Metadata of the objects of one agent: in the net-attach-def's namespace, with the agent's name. */
export function agentMetadata(scope: Scope, index: number) {
  return metadataIn(scope, scope.network.namespace, dhcpAgentName(scope.network.name, index), scope.pools);
}

/** Metadata of the RBAC objects in a namespace of pools. */
export function rightsMetadata(scope: Scope, namespace: string) {
  const pools = scope.pools.filter(({ metadata }) => metadata.namespace === namespace);
  // By the full key: networks of the same name in different namespaces may have pools in one namespace.
  return metadataIn(scope, namespace, `${networkLabel(keyOfScope(scope))}-dhcp`, pools);
}

function metadataIn(scope: Scope, namespace: string, name: string, pools: readonly IPPool[]) {
  return {
    name,
    namespace,
    labels: agentLabels(keyOfScope(scope)),
    annotations: { [NETWORK_ANNOTATION]: keyOfScope(scope) },
    ownerReferences: ownersIn(namespace, pools),
  };
}

/**
 * The pools as owners of an object in a namespace: the cluster deletes the object with the last of them, even without a
 * manager. Owners must be in the object's namespace, and an object is deleted once all its owners are gone. So if one
 * of the pools is in another namespace, the object has no owners.
 */
function ownersIn(namespace: string, pools: readonly IPPool[]): OwnerReference[] {
  if (pools.some(({ metadata }) => metadata.namespace !== namespace)) return [];
  return pools.map(({ metadata }) => ({
    apiVersion: apiVersionOf(IP_POOLS),
    kind: IP_POOLS.kind,
    name: metadata.name,
    uid: metadata.uid ?? '',
  }));
}
