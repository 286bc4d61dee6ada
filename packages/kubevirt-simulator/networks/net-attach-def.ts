import {
  CUSTOM_RESOURCE_DEFINITIONS,
  type Kind,
  type KubeClient,
  type KubeObject,
} from '@groundcrew/controller-runtime';
import { definition } from '../kubevirt/definition.ts';

/** Multus' NetworkAttachmentDefinition: a network that pods and VMs can be attached to. */
export interface NetworkAttachmentDefinition extends KubeObject {
  /** `config` is a CNI configuration or configuration list as JSON; absent: the node has it under the object's name. */
  spec?: { config?: string };
}

export const NETWORK_ATTACHMENT_DEFINITIONS: Kind<NetworkAttachmentDefinition> = {
  group: 'k8s.cni.cncf.io',
  version: 'v1',
  kind: 'NetworkAttachmentDefinition',
  plural: 'network-attachment-definitions',
  namespaced: true,
};

/** On a pod: the networks that it is attached to, a JSON list or a comma-separated one. */
export const NETWORKS_ANNOTATION = 'k8s.v1.cni.cncf.io/networks';

/** On a pod: what Multus made of that, a JSON list with `name`, `interface`, `ips` and `mac`. */
export const NETWORK_STATUS_ANNOTATION = 'k8s.v1.cni.cncf.io/network-status';

/** `namespace/name` of a network that an object of `namespace` names, with or without a namespace. */
export function networkKey(networkName: string, namespace: string): string {
  return networkName.includes('/') ? networkName : `${namespace}/${networkName}`;
}

/** As Multus' own (`deployments/multus-daemonset.yml`). */
const DEFINITION = definition({
  ...NETWORK_ATTACHMENT_DEFINITIONS,
  singular: 'network-attachment-definition',
  scope: 'Namespaced',
  shortNames: ['net-attach-def'],
  description: 'A network that pods and VMs can be attached to.',
  required: [],
  spec: {
    type: 'object',
    description: 'Desired state of the network.',
    properties: { config: { type: 'string', description: 'CNI configuration as JSON.' } },
  },
});

/** Registers the kind NetworkAttachmentDefinition, as an installation of Multus does. */
export async function registerNetworks(client: KubeClient): Promise<void> {
  await client.apply(CUSTOM_RESOURCE_DEFINITIONS, DEFINITION, { force: true });
}
