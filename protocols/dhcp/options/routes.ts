import type { Ipv4, StaticRoute } from '../lease.ts';
import { readU32, writeU32 } from '../codec/bytes.ts';
import { decodeAddresses, encodeAddresses } from './values.ts';

/** Options 121 and 249, RFC 3442: only the octets of each destination that its prefix covers, then the gateway. */
export function encodeClasslessRoutes(routes: readonly StaticRoute[]): Uint8Array {
  const value = new Uint8Array(routes.reduce((sum, { prefix }) => sum + 5 + octetsOf(prefix), 0));
  const octets = new Uint8Array(4);
  let at = 0;
  for (const { destination, prefix, gateway } of routes) {
    const significant = octetsOf(prefix);
    writeU32(octets, masked(destination, prefix), 0);
    value[at] = prefix;
    value.set(octets.subarray(0, significant), at + 1);
    writeU32(value, gateway, at + 1 + significant);
    at += 5 + significant;
  }
  return value;
}

/** Undefined if a route is truncated or a prefix is longer than 32. */
export function decodeClasslessRoutes(value: Uint8Array): StaticRoute[] | undefined {
  const routes: StaticRoute[] = [];
  for (let at = 0; at < value.length;) {
    const prefix = value[at] ?? 0;
    const significant = octetsOf(prefix);
    if (prefix > 32 || at + 5 + significant > value.length) return undefined;
    const octets = new Uint8Array(4);
    octets.set(value.subarray(at + 1, at + 1 + significant));
    const gateway = readU32(value, at + 1 + significant);
    routes.push({ destination: masked(readU32(octets, 0), prefix), prefix, gateway });
    at += 5 + significant;
  }
  return routes;
}

function octetsOf(prefix: number): number {
  return Math.ceil(prefix / 8);
}

/** Bits beyond the prefix must be zero: RFC 3442 "Classless Static Routes Option Usage". */
function masked(address: number, prefix: number): number {
  return prefix === 0 ? 0 : (address & (-1 << (32 - prefix))) >>> 0;
}

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
