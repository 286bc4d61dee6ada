import type { Ipv4, Lease, NetworkSettings } from '../../lease.ts';
import type { ClientRequest } from '../client-request.ts';

/** The subnet mask of a prefix length. */
export function maskOf(prefix: number): Ipv4 {
  return prefix === 0 ? 0 : (-1 << (32 - prefix)) >>> 0;
}

export function isInNetwork({ subnet, prefix }: Pick<NetworkSettings, 'subnet' | 'prefix'>, address: Ipv4): boolean {
  return ((address ^ subnet) & maskOf(prefix)) === 0;
}

/**
 * Whether the client is in the network of its lease. Without a relay agent it is on the server's own link. A relay agent uses one
 * address for all subnets of a network.
 */
export function isAtHome(request: ClientRequest, { settings }: Lease): boolean {
  const { link } = request;
  if (link === 0 || isInNetwork(settings, link)) return true;
  return settings.others?.some((other) => isInNetwork(other, link)) ?? false;
}
