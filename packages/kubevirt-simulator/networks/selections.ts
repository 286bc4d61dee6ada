import { networkKey, NETWORKS_ANNOTATION } from './net-attach-def.ts';
import type { Pod } from '@groundcrew/controller-runtime';

/** One of the networks that a pod asks for. */
export interface Selection {
  /** `namespace/name` of the net-attach-def. */
  network: string;
  /** Name of the interface in the pod. */
  interface?: string;
  /** Addresses that it asks for beside those of the net-attach-def, with or without prefix. */
  ips?: readonly string[];
  mac?: string;
}

/** The networks annotation is neither a list of names nor JSON; the message is Multus'. */
export class SelectionError extends Error {
  override readonly name = 'SelectionError';
  readonly code = 'BadNetworksAnnotation';
}

/**
 * The networks that a pod's annotation asks for: `ns/name@interface, …` or a JSON list (Network Custom Resource
 * Definition De-facto Standard v1.3, §4.1).
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

/** Text that begins with a bracket is a list, or is no JSON. */
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
  // Each field is looked at before it is used.
  return typeof item === 'object' && item !== null ? (item as Record<string, unknown>) : {};
}
