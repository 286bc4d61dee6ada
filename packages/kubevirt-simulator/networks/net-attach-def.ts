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

/** Annotation of a pod: its networks, a JSON list with `name`, `interface`, `ips` and `mac`. */
export const NETWORK_STATUS_ANNOTATION = 'k8s.v1.cni.cncf.io/network-status';

/** `namespace/name` of a network that an object of `namespace` names, with or without a namespace. */
export function networkKey(networkName: string, namespace: string): string {
  return networkName.includes('/') ? networkName : `${namespace}/${networkName}`;
}

/** As in Multus (`deployments/multus-daemonset.yml`). */
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

/** What a net-attach-def means here. */
export interface CniConfig {
  /** Cards and pods of one segment hear one another's broadcasts. */
  segment: string;
  /** Of static IPAM: `192.168.48.2/24`. */
  addresses: readonly string[];
}

interface Plugin {
  type?: unknown;
  bridge?: unknown;
  vlan?: unknown;
  master?: unknown;
  vlanId?: unknown;
  ipam?: { type?: unknown; addresses?: unknown };
}

/**
 * The CNI configuration of a net-attach-def, or the first plugin of a list. Bridges with the same name and VLAN, or
 * interfaces with the same master, are one layer 2 network; other types are one network each.
 *
 * @throws SyntaxError for invalid JSON
 */
export function cniConfigOf({ metadata, spec }: NetworkAttachmentDefinition): CniConfig {
  const own = `${metadata.namespace ?? ''}/${metadata.name}`;
  const plugin = pluginOf(spec?.config);
  return { segment: segmentOf(plugin) ?? own, addresses: addressesOf(plugin) };
}

function pluginOf(config: string | undefined): Plugin {
  const value = recordOf(JSON.parse(config === undefined || config === '' ? '{}' : config));
  const { plugins } = value;
  // Each field is checked before it is used.
  return Array.isArray(plugins) ? recordOf(plugins[0]) : value;
}

function segmentOf({ type, bridge, vlan, master, vlanId }: Plugin): string | undefined {
  switch (type) {
    case 'bridge':
    case 'cnv-bridge':
    case 'ovs':
      return `bridge ${textOf(bridge, 'cni0')} ${textOf(vlan, '0')}`;
    case 'macvlan':
    case 'ipvlan':
      return `master ${textOf(master, '')} 0`;
    case 'vlan':
      return `master ${textOf(master, '')} ${textOf(vlanId, '0')}`;
    default:
      return undefined;
  }
}

function addressesOf({ ipam }: Plugin): string[] {
  const addresses: unknown = ipam?.type === 'static' ? ipam.addresses : undefined;
  if (!Array.isArray(addresses)) return [];
  return addresses.map((item) => recordOf(item)['address']).filter((address) => typeof address === 'string');
}

function textOf(value: unknown, otherwise: string): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : otherwise;
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
