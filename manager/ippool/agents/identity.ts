import { LABELS, networkLabel } from '../../../api/index.ts';
import type { KubeObject, ObjectRef, Pod } from '@groundcrew/controller-runtime';
import { isPodReady } from '../../agent-workload/index.ts';

/** A net-attach-def with pools. */
export type NetworkRef = Required<ObjectRef>;

/** Annotation of all objects of a network: its full key, which may be too long for the label. */
export const NETWORK_ANNOTATION = LABELS.network;

/** Label of an agent's Deployment and pods: the index of its server address. */
export const INDEX_LABEL = 'network.harvesterhci.io/server-index';

const COMPONENT = 'dhcp-agent';

/** Selects the objects created for networks; the caches hold only these. */
export const AGENT_SELECTOR = `${LABELS.managedBy}=groundcrew,${LABELS.component}=${COMPONENT}`;

/** The labels of all objects of a network. */
export function agentLabels(network: string): Record<string, string> {
  return {
    [LABELS.network]: networkLabel(network),
    [LABELS.dhcpAgent]: 'agent',
    [LABELS.name]: 'groundcrew',
    [LABELS.component]: COMPONENT,
    [LABELS.managedBy]: 'groundcrew',
  };
}

/** The labels of a network's agents only. They select its pods and can never change. */
export function agentSelector(network: string): Record<string, string> {
  return { [LABELS.network]: networkLabel(network), [LABELS.component]: COMPONENT };
}

/** Whether a manager created the object for the network. */
export function isOf(network: string, { metadata: { labels = {} } }: Pick<KubeObject, 'metadata'>): boolean {
  return Object.entries(agentLabels(network)).every(([name, value]) => labels[name] === value);
}

/** The same by annotation, in case its labels, by which caches find it, were removed. */
export function isMarkedFor(network: string, { metadata }: Pick<KubeObject, 'metadata'>): boolean {
  return metadata.annotations?.[NETWORK_ANNOTATION] === network;
}

/** The network of an object; undefined for any other object. */
export function networkOf({ metadata: { annotations = {}, labels = {} } }: KubeObject): string | undefined {
  if (labels[LABELS.component] !== COMPONENT) return undefined;
  return annotations[NETWORK_ANNOTATION];
}

export function indexOf({ metadata }: KubeObject): number {
  return Number(metadata.labels?.[INDEX_LABEL] ?? NaN);
}

export function isReady(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp === undefined && isPodReady(pod);
}

/** The pod of an agent: the Ready one, else the newest; a terminating one only if there is no other. */
export function podOf(index: number, pods: readonly Pod[]): Pod | undefined {
  return pods.filter((pod) => indexOf(pod) === index).toSorted(byUse)[0];
}

function byUse(a: Pod, b: Pod): number {
  return rank(a) - rank(b) || created(b).localeCompare(created(a));
}

function rank(pod: Pod): number {
  if (isReady(pod)) return 0;
  return pod.metadata.deletionTimestamp === undefined ? 1 : 2;
}

function created({ metadata }: Pod): string {
  return metadata.creationTimestamp ?? '';
}
