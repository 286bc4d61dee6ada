import { isIP } from 'node:net';
import { isListedHost, uncommonAddress } from '../../hosts/index.ts';
import type { ListenerPolicy } from '../options.ts';

/** Events may not be sent there; the message is a sentence that says what to do. */
export class RefusedDestination extends Error {
  override readonly name = 'RefusedDestination';
  readonly code = 'RefusedDestination';
}

/**
 * Judges where events are to be sent, by the host that the owner allows and by each address that it has now: a name may lead elsewhere
 * tomorrow, so that this is asked before each connection, which is made to one of the addresses that it returns.
 *
 * @throws RefusedDestination, or what `resolve` throws
 */
export async function admitDestination(url: URL, policy: ListenerPolicy): Promise<readonly string[]> {
  const hosts = policy.allowedHosts();
  if (hosts.length > 0 && !isListedHost(url, hosts)) {
    throw new RefusedDestination(
      `Events may not be sent to ${url.host}: spec.redfish.events.allowedHosts of the VirtualMachineBMC names the hosts that they may be sent to.`,
    );
  }
  const addresses = await addressesOf(url.hostname, policy);
  const ownApi = await ownApiAddresses(url, policy);
  const refusals = addresses.map((address) => refusalOf(url, address, policy, ownApi));
  const admitted = addresses.filter((_address, index) => refusals[index] === undefined);
  if (admitted.length > 0) return admitted;
  throw new RefusedDestination(refusals.find((refusal) => refusal !== undefined) ?? `${url.host} has no address.`);
}

/** Undefined: events may be sent there. */
function refusalOf(
  url: URL,
  address: string,
  { allowsLoopback, allowedHosts }: ListenerPolicy,
  ownApi: readonly string[],
): string | undefined {
  if (ownApi.includes(plain(address))) {
    return `Events may not be sent to ${url.host}, which is the Kubernetes API: name a listener.`;
  }
  const kind = uncommonAddress(address);
  if (kind === undefined || (allowsLoopback && kind === 'an address of this machine itself')) return undefined;
  // By its address, and not by a name that may be given another at any time.
  const literal = URL.parse(`${url.protocol}//${inUrl(address)}:${portOf(url)}/`);
  if (literal !== null && kind !== 'no address' && isListedHost(literal, allowedHosts())) return undefined;
  return (
    `Events may not be sent to ${url.host}, which is ${kind}: name another listener, or have this address put into ` +
    'spec.redfish.events.allowedHosts of the VirtualMachineBMC.'
  );
}

async function ownApiAddresses(url: URL, policy: ListenerPolicy): Promise<readonly string[]> {
  const { ownApi } = policy;
  if (ownApi?.port !== portOf(url)) return [];
  return (await addressesOf(ownApi.host, policy)).map(plain);
}

async function addressesOf(host: string, { resolve }: ListenerPolicy): Promise<readonly string[]> {
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
