import { Resolver } from 'node:dns/promises';
import { contains, parseIpv4, parseIpv4Cidr, type Ipv4Range } from '../../api/index.ts';

/** Special-purpose addresses (RFC 6890), and Azure's metadata service. */
const NOT_PUBLIC = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/4', '240.0.0.0/4', '168.63.129.16/32'],
].flatMap((text) => parseIpv4Cidr(text) ?? []);

/**
 * Whether a name that a tenant writes may resolve to this address. The manager sees names that tenants do not: their
 * addresses would tell what is in the cluster and behind it.
 *
 * @param allowed private addresses that the installation allows
 */
export function isNtpAddress(text: string, allowed: readonly Ipv4Range[]): boolean {
  const address = parseIpv4(text);
  if (address === undefined) return false;
  const isIn = (range: Ipv4Range): boolean => contains(range, address);
  return !NOT_PUBLIC.some(isIn) || allowed.some(isIn);
}

/** A query is repeated once after this time, milliseconds. */
const PATIENCE = 2000;

/**
 * Resolves a full name to IPv4 addresses. Unlike getaddrinfo it takes no thread, so that silent name servers do not hold
 * back other lookups; it reads neither /etc/hosts nor the search list.
 *
 * @param servers default: those of /etc/resolv.conf
 * @throws if the name has no IPv4 address
 */
export async function resolveIpv4(name: string, servers?: readonly string[]): Promise<string[]> {
  const resolver = new Resolver({ timeout: PATIENCE, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  return await resolver.resolve4(name);
}
