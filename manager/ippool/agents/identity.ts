import { LABELS, networkLabel } from '../../../api/index.ts';
import type { KubeObject, ObjectRef } from '@groundcrew/controller-runtime';

/** A net-attach-def that pools serve. */
export type NetworkRef = Required<ObjectRef>;

/** Annotation of all that is made for a network: its key, whole, where the label may have to cut it. */
export const NETWORK_ANNOTATION = LABELS.network;

/** Label of an agent's Deployment and pods: which of the network's server addresses it answers with. */
export const INDEX_LABEL = 'network.harvesterhci.io/server-index';

const COMPONENT = 'dhcp-agent';

/** Selects what is made for networks, and only that: the caches hold nothing else of a cluster. */
export const AGENT_SELECTOR = `${LABELS.managedBy}=groundcrew,${LABELS.component}=${COMPONENT}`;

/** The labels of all that is made for a network. */
export function agentLabels(network: string): Record<string, string> {
  return {
    [LABELS.network]: networkLabel(network),
    [LABELS.dhcpAgent]: 'agent',
    [LABELS.name]: 'groundcrew',
    [LABELS.component]: COMPONENT,
    [LABELS.managedBy]: 'groundcrew',
  };
}

/** The labels that a network's agents have and nothing else: what selects their pods, which can never change. */
export function agentSelector(network: string): Record<string, string> {
  return { [LABELS.network]: networkLabel(network), [LABELS.component]: COMPONENT };
}

/** Whether the object was made for the network by a manager. */
export function isOf(network: string, { metadata: { labels = {} } }: Pick<KubeObject, 'metadata'>): boolean {
  return Object.entries(agentLabels(network)).every(([name, value]) => labels[name] === value);
}

/** Whether it was, also where somebody has taken its labels off, by which caches know it. */
export function isMarkedFor(network: string, { metadata }: Pick<KubeObject, 'metadata'>): boolean {
  return metadata.annotations?.[NETWORK_ANNOTATION] === network;
}

/** The network that an object was made for; undefined for anything else. */
export function networkOf({ metadata: { annotations = {}, labels = {} } }: KubeObject): string | undefined {
  if (labels[LABELS.component] !== COMPONENT) return undefined;
  return annotations[NETWORK_ANNOTATION];
}

export function networkRef(network: string): NetworkRef {
  const slash = network.indexOf('/');
  return { namespace: network.slice(0, slash), name: network.slice(slash + 1) };
}

export function indexOf({ metadata }: KubeObject): number {
  return Number(metadata.labels?.[INDEX_LABEL] ?? NaN);
}
