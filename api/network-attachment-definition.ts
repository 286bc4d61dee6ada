import { kindOf, type KubeObject } from './object.ts';

/** Multus' NetworkAttachmentDefinition: a network that pods and VMs can be attached to. */
export interface NetworkAttachmentDefinition extends KubeObject {
  /** `config`: a CNI configuration or configuration list as JSON; absent: a file on the node with the object's name. */
  spec?: { config?: string };
}

export const NETWORK_ATTACHMENT_DEFINITIONS = kindOf<NetworkAttachmentDefinition>(
  'k8s.cni.cncf.io/v1',
  'NetworkAttachmentDefinition',
  'network-attachment-definitions',
);

/**
 * On a net-attach-def: the other namespaces whose IPPools may serve the network, separated by commas; `*`: all. Without it a network
 * is served by pools of its own namespace.
 */
export const ALLOWED_POOL_NAMESPACES_ANNOTATION = 'network.harvesterhci.io/allowed-pool-namespaces';

/** Whether IPPools of a namespace may serve the network. */
export function allowsPoolsOf(namespace: string, { metadata }: NetworkAttachmentDefinition): boolean {
  if (namespace === metadata.namespace) return true;
  const allowed = (metadata.annotations?.[ALLOWED_POOL_NAMESPACES_ANNOTATION] ?? '')
    .split(',')
    .map((name) => name.trim());
  return allowed.includes(namespace) || allowed.includes('*');
}

/** On a pod: the requested networks, a JSON list or comma-separated. */
export const NETWORKS_ANNOTATION = 'k8s.v1.cni.cncf.io/networks';

/** On a pod: the attached networks, a JSON list with `name`, `interface`, `ips` and `mac`. */
export const NETWORK_STATUS_ANNOTATION = 'k8s.v1.cni.cncf.io/network-status';
