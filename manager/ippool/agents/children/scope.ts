import { dhcpAgentName, networkLabel, type IPPool, type NetworkAttachmentDefinition } from '../../../../api/index.ts';
import type { AgentSettings } from '../../../children/index.ts';
import { agentLabels, NETWORK_ANNOTATION, type NetworkRef } from '../identity.ts';
import { ownersIn } from './owners.ts';

/** All that the objects of a network's agents are drafted from. */
export interface Scope {
  network: NetworkRef;
  attachment: NetworkAttachmentDefinition;
  /** That agents are for, oldest first. */
  pools: readonly IPPool[];
  settings: AgentSettings;
}

/** `namespace/name` of the network. */
export function keyOfScope({ network }: Scope): string {
  return `${network.namespace}/${network.name}`;
}

/** Metadata of what is one agent's: beside the net-attach-def, under the agent's name. */
export function agentMetadata(scope: Scope, index: number) {
  return metadataIn(scope, scope.network.namespace, dhcpAgentName(scope.network.name, index), scope.pools);
}

/** Metadata of what lets the network's agents read the pools of a namespace. */
export function rightsMetadata(scope: Scope, namespace: string) {
  const pools = scope.pools.filter(({ metadata }) => metadata.namespace === namespace);
  // By the whole key: networks of one name in several namespaces may have pools in one.
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
