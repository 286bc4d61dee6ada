import { dhcpAgentName, networkLabel, type IPPool, type NetworkAttachmentDefinition } from '../../../../api/index.ts';
import type { AgentSettings } from '../../../children/index.ts';
import { agentLabels, NETWORK_ANNOTATION, type NetworkRef } from '../identity.ts';
import { ownersIn } from './owners.ts';

/** The inputs for all objects of a network's agents. */
export interface Scope {
  network: NetworkRef;
  attachment: NetworkAttachmentDefinition;
  /** Pools with agents, oldest first. */
  pools: readonly IPPool[];
  settings: AgentSettings;
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
