import type { Ipv4 } from '../lease.ts';
import { decodeAddresses, encodeAddresses } from './addresses.ts';

/** A route to a host or to a class A, B or C network: option 33, RFC 2132 §5.8. Newer clients use option 121. */
export interface HostRoute {
  readonly destination: Ipv4;
  readonly gateway: Ipv4;
}

export function encodeStaticRoutes(routes: readonly HostRoute[]): Uint8Array {
  return encodeAddresses(routes.flatMap(({ destination, gateway }) => [destination, gateway]));
}

/** Undefined if the length is not a multiple of eight. */
export function decodeStaticRoutes(value: Uint8Array): HostRoute[] | undefined {
  if (value.length % 8 !== 0) return undefined;
  const addresses = decodeAddresses(value) ?? [];
  const routes: HostRoute[] = [];
  for (const [i, destination] of addresses.entries()) {
    const gateway = addresses[i + 1];
    if (i % 2 === 0 && gateway !== undefined) routes.push({ destination, gateway });
  }
  return routes;
}
