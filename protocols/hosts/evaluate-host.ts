import { isIP } from 'node:net';
import type { HostDependencies } from './host-dependencies.ts';
import { isListedHost } from './is-listed-host.ts';
import { uncommonAddress, type AddressKind } from './uncommon-address.ts';

/** Why nothing is connected to for a client. `unlisted`: the owner lists hosts, and not this one. */
export type HostRefusal = 'unlisted' | 'the Kubernetes API' | AddressKind;

/** At least one address, or why there is none. */
export type HostEvaluation = { readonly addresses: readonly string[] } | { readonly refusal: HostRefusal };

/**
 * Evaluates the host of a URL that a client names, by what its owner allows and by each address that it has now: a name may lead elsewhere
 * tomorrow, so that this is asked before each connection, which is made to the addresses that it returns (`alwaysTo`).
 *
 * @param allowedHosts names or addresses, with a port or without; empty: all but those that nothing is sent to unasked
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

/** Undefined: it may be connected to. */
function refusalOf(
  url: URL,
  address: string,
  allowedHosts: readonly string[],
  { allowsLoopback }: HostDependencies,
): AddressKind | undefined {
  const kind = uncommonAddress(address);
  if (kind === undefined || (allowsLoopback && kind === 'an address of this machine itself')) return undefined;
  // By its address, and not by a name that may be given another at any time.
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

/** As all write it: IPv4 that is written as IPv6 is IPv4. */
function plain(address: string): string {
  const written = URL.parse(`http://${inUrl(address)}/`)?.hostname ?? address;
  const [, high, low] = /^\[::ffff:([0-9a-f]+):([0-9a-f]+)\]$/.exec(written) ?? [];
  if (high === undefined || low === undefined) return written;
  return [high, low].flatMap((word) => [parseInt(word, 16) >> 8, parseInt(word, 16) & 0xff]).join('.');
}

function inUrl(address: string): string {
  return isIP(address) === 6 ? `[${address}]` : address;
}
