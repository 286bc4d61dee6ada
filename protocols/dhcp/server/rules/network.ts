import type { Ipv4, Lease, NetworkSettings } from '../../lease.ts';
import type { ClientRequest } from '../client-request.ts';

/** The mask of a prefix, as option 1 has it. */
export function maskOf(prefix: number): Ipv4 {
  return prefix === 0 ? 0 : (-1 << (32 - prefix)) >>> 0;
}

export function isInNetwork({ subnet, prefix }: Pick<NetworkSettings, 'subnet' | 'prefix'>, address: Ipv4): boolean {
  return ((address ^ subnet) & maskOf(prefix)) === 0;
}

/**
 * Whether the client is where its lease is. Without a relay agent it is: it shares the wire with us. A relay agent has one
 * address in a network of several subnets, and says that one for all of them.
 */
export function isAtHome(request: ClientRequest, { settings }: Lease): boolean {
  const { link } = request;
  if (link === 0 || isInNetwork(settings, link)) return true;
  return settings.others?.some((other) => isInNetwork(other, link)) ?? false;
}
