import { createHash } from 'node:crypto';
import type { KubeClient, Pod } from '@groundcrew/controller-runtime';
import {
  cniConfigOf,
  NETWORK_ATTACHMENT_DEFINITIONS,
  NETWORK_STATUS_ANNOTATION,
  networkKey,
  NETWORKS_ANNOTATION,
} from './net-attach-def.ts';

/** A pod cannot be attached to a network; the message is Multus'. */
export class AttachmentError extends Error {
  override readonly name = 'AttachmentError';
  readonly code = 'NetworkAttachment';
}

/** An entry of the network-status annotation. */
export interface Attachment {
  name: string;
  interface: string;
  ips?: string[];
  mac?: string;
  default?: true;
  dns: object;
}

/**
 * Attaches a pod to the networks of its annotation, as Multus does before its containers start. Returns the status
 * annotation, or undefined without networks. Addresses come from static IPAM and from the annotation; no interface is
 * created.
 *
 * @throws AttachmentError for an invalid annotation or a missing net-attach-def
 */
export async function attach(client: KubeClient, pod: Pod, podIp: string): Promise<Record<string, string> | undefined> {
  const selections = read(pod);
  if (selections.length === 0) return undefined;
  const status: Attachment[] = [
    { name: 'sandbox', interface: 'eth0', ips: [podIp], default: true, dns: {} },
    ...(await Promise.all(selections.map((selection, index) => attachOne(client, pod, selection, index)))),
  ];
  return { [NETWORK_STATUS_ANNOTATION]: JSON.stringify(status, undefined, 4) };
}

function read(pod: Pod): Selection[] {
  try {
    return selectionsOf(pod);
  } catch (cause) {
    if (cause instanceof SelectionError) throw new AttachmentError(cause.message, { cause });
    throw cause;
  }
}

async function attachOne(client: KubeClient, pod: Pod, selection: Selection, index: number): Promise<Attachment> {
  const { network, interface: nic = `net${index + 1}`, ips = [], mac } = selection;
  const [namespace = '', name = ''] = network.split('/');
  const found = await client.find(NETWORK_ATTACHMENT_DEFINITIONS, { namespace, name });
  if (found === undefined) {
    throw new AttachmentError(
      `cannot find a network-attachment-definition (${name}) in namespace (${namespace}): ` +
        `network-attachment-definitions.k8s.cni.cncf.io "${name}" not found`,
    );
  }
  const addresses = [...addressesOf(found), ...ips].map((address) => address.split('/')[0] ?? '');
  return {
    name: network,
    interface: nic,
    ...(addresses.length === 0 ? {} : { ips: [...new Set(addresses)] }),
    mac: mac ?? madeUpMac(pod.metadata.uid ?? '', nic),
    dns: {},
  };
}

function addressesOf(found: Parameters<typeof cniConfigOf>[0]): readonly string[] {
  try {
    return cniConfigOf(found).addresses;
  } catch (cause) {
    throw new AttachmentError(`the CNI configuration of ${found.metadata.name} is no JSON: ${String(cause)}`, {
      cause,
    });
  }
}

/** Derived from the pod and the interface, so that it survives a restart of the sandbox. */
function madeUpMac(uid: string, nic: string): string {
  const hash = createHash('sha256').update(`${uid} ${nic}`).digest('hex');
  return `02:${(hash.slice(0, 10).match(/../g) ?? []).join(':')}`;
}

/** One of the networks of a pod's annotation. */
export interface Selection {
  /** `namespace/name` of the net-attach-def. */
  network: string;
  /** Name of the interface in the pod. */
  interface?: string;
  /** Addresses in addition to those of the net-attach-def, with or without prefix. */
  ips?: readonly string[];
  mac?: string;
}

/** The networks annotation is neither a list of names nor JSON; the message is Multus'. */
export class SelectionError extends Error {
  override readonly name = 'SelectionError';
  readonly code = 'BadNetworksAnnotation';
}

/**
 * The networks of a pod's annotation: `ns/name@interface, …` or a JSON list (Network Custom Resource Definition De-facto
 * Standard v1.3, §4.1).
 *
 * @throws SelectionError
 */
export function selectionsOf({ metadata }: Pod): Selection[] {
  const text = metadata.annotations?.[NETWORKS_ANNOTATION]?.trim() ?? '';
  const namespace = metadata.namespace ?? '';
  if (text === '') return [];
  return text.startsWith('[') ? fromJson(text, namespace) : text.split(',').map((item) => fromName(item, namespace));
}

function fromName(item: string, namespace: string): Selection {
  const [, network = '', nic] = /^\s*([a-z0-9][-a-z0-9./]*)(?:@(\S+))?\s*$/.exec(item) ?? [];
  if (network === '')
    throw new SelectionError(`parsePodNetworkAnnotation: Invalid network object (failed at '${item}')`);
  return { network: networkKey(network, namespace), ...(nic === undefined ? {} : { interface: nic }) };
}

function fromJson(text: string, namespace: string): Selection[] {
  return (parsed(text) as unknown[]).map((item) => {
    const { name, namespace: own, interface: nic, ips, mac } = fieldsOf(item);
    if (typeof name !== 'string') {
      throw new SelectionError(`parsePodNetworkAnnotation: network annotation is missing a name: ${text}`);
    }
    return {
      network: networkKey(name, typeof own === 'string' ? own : namespace),
      ...(typeof nic === 'string' ? { interface: nic } : {}),
      ...(Array.isArray(ips) ? { ips: ips.filter((ip) => typeof ip === 'string') } : {}),
      ...(typeof mac === 'string' ? { mac } : {}),
    };
  });
}

/** Text that begins with a bracket is a JSON list or invalid. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SelectionError(`parsePodNetworkAnnotation: failed to parse pod Network Attachment Selection: ${text}`, {
      cause,
    });
  }
}

function fieldsOf(item: unknown): Record<string, unknown> {
  // Each field is checked before it is used.
  return typeof item === 'object' && item !== null ? (item as Record<string, unknown>) : {};
}
