import { isIP } from 'node:net';
import type { HostDependencies } from './host-dependencies.ts';
import { isListedHost } from './is-listed-host.ts';
import { uncommonAddress, type AddressKind } from './uncommon-address.ts';

/** Why a connection to a host is refused. `unlisted`: the owner's list of hosts does not contain it. */
export type HostRefusal = 'unlisted' | 'the Kubernetes API' | AddressKind;

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
    ownApi.includes(plain(address)) ? 'the Kubernetes API' : refusalOf(url, address, allowedHosts, dependencies),
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
  return (await addressesOf(ownApi.host, dependencies)).map(plain);
}

async function addressesOf(host: string, { resolve }: HostDependencies): Promise<readonly string[]> {
  const bare = host.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? await resolve(bare) : [bare];
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

/** Canonical form: an IPv4-mapped IPv6 address becomes IPv4. */
function plain(address: string): string {
  const written = URL.parse(`http://${inUrl(address)}/`)?.hostname ?? address;
  const [, high, low] = /^\[::ffff:([0-9a-f]+):([0-9a-f]+)\]$/.exec(written) ?? [];
  if (high === undefined || low === undefined) return written;
  return [high, low].flatMap((word) => [parseInt(word, 16) >> 8, parseInt(word, 16) & 0xff]).join('.');
}

function inUrl(address: string): string {
  return isIP(address) === 6 ? `[${address}]` : address;
}
