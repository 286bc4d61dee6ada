import type { Ipv4, Lease, NetworkSettings } from '../../lease.ts';
import type { ClientRequest } from '../client-request.ts';

/** The mask of a prefix, as option 1 has it. */
export function maskOf(prefix: number): Ipv4 {
  return prefix === 0 ? 0 : (-1 << (32 - prefix)) >>> 0;
}

export function isInNetwork(settings: NetworkSettings, address: Ipv4): boolean {
  return ((address ^ settings.subnet) & maskOf(settings.prefix)) === 0;
}

/** Whether the client is where its lease is. Without a relay agent it is: it shares the wire with us. */
export function isAtHome(request: ClientRequest, lease: Lease): boolean {
  const { link } = request;
  return link === 0 || isInNetwork(lease.settings, link);
}
