import { isIP, type LookupFunction } from 'node:net';
import { equivalents, uncommonAddress, type AddressKind } from './uncommon-address.ts';

/** Dependencies for checking hosts that clients name. The process may reach hosts that its clients cannot reach. */
export interface HostDependencies {
  /** Treats the machine's own addresses like any others: for a simulation that runs on one machine. */
  allowsLoopback: boolean;
  /** The platform API to which the process has credentials; clients must never name it. Undefined: none. */
  ownApi?: { readonly host: string; readonly port: number };
  /** Addresses of a host name. @throws Error if there are none */
  resolve: (hostName: string) => Promise<readonly string[]>;
}

/** Why a connection to a host is refused. `unlisted`: the owner's list of hosts does not contain it. */
export type HostRefusal = 'unlisted' | 'the platform API' | AddressKind;

/** At least one address, or the reason for the refusal. */
export type HostEvaluation = { readonly addresses: readonly string[] } | { readonly refusal: HostRefusal };

/**
 * Evaluates the host of a URL from a client by the owner's list and by its current addresses. Names may resolve differently later,
 * so call this before each connection and connect only to the returned addresses (`alwaysTo`).
 *
 * @param allowedHosts names or addresses, with or without port; empty: all except special-purpose addresses
 * @throws what `resolve` throws
 */
export async function evaluateHost(
  url: URL,
  allowedHosts: readonly string[],
  dependencies: HostDependencies,
): Promise<HostEvaluation> {
  if (allowedHosts.length > 0 && !isListedHost(url, allowedHosts)) return { refusal: 'unlisted' };
  const found = await addressesOf(url.hostname, dependencies);
  const ownApi = await ownApiAddresses(url, dependencies);
  const refusals = found.map((address): HostRefusal | undefined =>
    equivalents(address).some((each) => ownApi.includes(each))
      ? 'the platform API'
      : refusalOf(url, address, allowedHosts, dependencies),
  );
  const addresses = found.filter((_address, index) => refusals[index] === undefined);
  return addresses.length > 0 ? { addresses } : { refusal: refusals[0] ?? 'no address' };
}

/** Undefined: connections are allowed. */
function refusalOf(
  url: URL,
  address: string,
  allowedHosts: readonly string[],
  { allowsLoopback }: HostDependencies,
): AddressKind | undefined {
  const kind = uncommonAddress(address);
  if (kind === undefined || (allowsLoopback && kind === 'an address of this machine itself')) return undefined;
  // Match the address, not the name: a name can resolve differently later.
  const literal = URL.parse(`${url.protocol}//${inUrl(address)}:${portOf(url)}/`);
  return literal !== null && kind !== 'no address' && isListedHost(literal, allowedHosts) ? undefined : kind;
}

async function ownApiAddresses(url: URL, dependencies: HostDependencies): Promise<readonly string[]> {
  const { ownApi } = dependencies;
  if (ownApi?.port !== portOf(url)) return [];
  return (await addressesOf(ownApi.host, dependencies)).flatMap(equivalents);
}

async function addressesOf(host: string, { resolve }: HostDependencies): Promise<readonly string[]> {
  const bare = host.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? await resolve(bare) : [bare];
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

function inUrl(address: string): string {
  return isIP(address) === 6 ? `[${address}]` : address;
}

/**
 * Whether a list of hosts contains the host of a URL, by name or address, with or without port.
 *
 * @example isListedHost(new URL('https://images.example:8443/a.iso'), ['images.example']) // true
 */
export function isListedHost(url: URL, hosts: readonly string[]): boolean {
  const bare = url.hostname.replace(/^\[|\]$/g, '');
  const names = [bare, url.hostname, `${url.hostname}:${portOf(url)}`].map((name) => name.toLowerCase());
  return hosts.some((host) => names.includes(host.toLowerCase()));
}

/**
 * A `lookup` function for a connection. It returns the evaluated addresses only, so a later DNS change has no effect.
 *
 * @param addresses at least one
 */
export function alwaysTo(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, { all }, callback) => {
    if (all === true) callback(null, found);
    else callback(null, found[0]?.address ?? '', found[0]?.family);
  };
}
