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

/** On a pod: the requested networks, a JSON list or comma-separated. */
export const NETWORKS_ANNOTATION = 'k8s.v1.cni.cncf.io/networks';

/** On a pod: the attached networks, a JSON list with `name`, `interface`, `ips` and `mac`. */
export const NETWORK_STATUS_ANNOTATION = 'k8s.v1.cni.cncf.io/network-status';
