import { BlockList, isIP, isIPv6 } from 'node:net';

/** Says whether an address may be imported from. */
export type AddressCheck = (address: string, url: URL) => boolean;

/** Anything goes, as in CDI up to 1.66. */
export const ANY_ADDRESS: AddressCheck = () => true;

/**
 * No private, loopback or link-local address, but for URLs under those of `CDIConfig.spec.allowedSourceURLs`: what CDI
 * pull request 4116 (not yet in a release) makes of an import.
 */
export function publicAddressesOnly(allowed: readonly string[]): AddressCheck {
  return (address, url) => !isInternal(address) || allowed.some((entry) => covers(entry, url));
}

const INTERNAL = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  INTERNAL.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
  ['::', 128],
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const) {
  INTERNAL.addSubnet(network, prefix, 'ipv6');
}

function isInternal(address: string): boolean {
  // BlockList also knows the IPv4 addresses that are mapped into IPv6.
  return isIP(address) !== 0 && INTERNAL.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

/** The same server, and a path that begins with the entry's; an entry without a scheme stands for both. */
function covers(entry: string, url: URL): boolean {
  const candidate = URL.parse(entry.includes('://') ? entry : `${url.protocol}//${entry}`);
  return candidate !== null && candidate.origin === url.origin && url.pathname.startsWith(candidate.pathname);
}
