import { LABELS, networkKey, NETWORKS_ANNOTATION } from '../../api/index.ts';
import type { Pod } from '@groundcrew/controller-runtime';

/** Selects the agents of vm-dhcp-controller: they have the label that ours have, too. */
export const OTHER_AGENT_SELECTOR = `${LABELS.dhcpAgent}=agent,${LABELS.managedBy}!=groundcrew`;

/**
 * The networks (`namespace/name`) that an agent of vm-dhcp-controller serves: those to which Multus has attached its pod. Labels are
 * not enough, since any user can create a pod with them: it must run, and not in the network of its node, to which Multus attaches
 * nothing. A user whose pods can be attached to a network can also answer its VMs.
 */
export function networksServedBy({ metadata, spec, status }: Pod): string[] {
  if (status?.phase !== 'Running' || spec?.hostNetwork === true) return [];
  return attachedNetworks(metadata.annotations?.[NETWORKS_ANNOTATION] ?? '', metadata.namespace ?? '');
}

function attachedNetworks(annotation: string, namespace: string): string[] {
  let networks: unknown;
  try {
    networks = JSON.parse(annotation);
  } catch {
    // vm-dhcp-controller writes JSON.
    return [];
  }
  if (!Array.isArray(networks)) return [];
  return networks.flatMap((network: unknown) => {
    const { name, namespace: where = namespace } = Object(network) as { name?: unknown; namespace?: unknown }; // any JSON value
    return typeof name === 'string' && typeof where === 'string' ? [networkKey(name, where)] : [];
  });
}
