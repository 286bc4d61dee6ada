import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Kind of an address, as shown to users. */
export type AddressKind =
  | 'an unspecified address'
  | 'an address of this machine itself'
  | 'a link-local address'
  | "an address of a cloud's own services"
  | 'a multicast address'
  | 'a broadcast address'
  | 'no address';

/** By the names that ipaddr.js gives to IANA's special-purpose ranges. Private and shared addresses are ordinary. */
const KINDS: Readonly<Record<string, AddressKind>> = {
  unspecified: 'an unspecified address',
  loopback: 'an address of this machine itself',
  linkLocal: 'a link-local address',
  multicast: 'a multicast address',
  broadcast: 'a broadcast address',
};

/** Metadata services of Alibaba Cloud, Azure, Oracle, AWS, Google, Scaleway and Akamai outside the link-local range. */
const CLOUD_SERVICES = [
  '100.100.100.200/32',
  'fd00:100::100:200/128',
  '168.63.129.16/32',
  '192.0.0.192/32',
  'fd00:c1::a9fe:a9fe/128',
  'fd00:ec2::/32',
  'fd20:ce::254/128',
  'fd00:42::42/128',
  'fd00:a9fe:a9fe::1/128',
].map((network) => ipaddr.parseCIDR(network));

/**
 * The kind of a special-purpose address that needs explicit permission. Recognizes IPv4 inside IPv6, NAT64 (RFC 6052 §2.1) and 6to4
 * (RFC 3056).
 *
 * @returns undefined for an ordinary address
 */
export function uncommonAddress(text: string): AddressKind | undefined {
  const bare = text.replace(/%.*$/, '');
  // ipaddr.js also accepts short, octal and hexadecimal forms.
  if (isIP(bare) === 0) return 'no address';
  const address = destinationOf(ipaddr.process(bare));
  const isCloudService = ipaddr.subnetMatch(address, { cloud: CLOUD_SERVICES }) === 'cloud';
  return isCloudService ? "an address of a cloud's own services" : KINDS[address.range()];
}

/** The IPv4 address to which NAT64 or 6to4 translates an IPv6 address; other addresses unchanged. */
function destinationOf(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  const bytes = address.toByteArray();
  if (address.range() === 'rfc6052') return ipaddr.fromByteArray(bytes.slice(12));
  if (address.range() === '6to4') return ipaddr.fromByteArray(bytes.slice(2, 6));
  return address;
}
