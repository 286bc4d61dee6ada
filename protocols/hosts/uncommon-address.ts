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
 * IPv6 networks whose addresses stand for IPv4 addresses, and the bytes that hold one. A local NAT64 prefix has one of
 * four layouts, which the address does not tell.
 */
const EMBEDDINGS: readonly (readonly [network: string, ...layouts: (readonly number[])[]])[] = [
  // IPv4-compatible (RFC 4291 §2.5.5.1), IPv4-mapped (§2.5.5.2), IPv4-translated (RFC 2765 §2.1).
  ['::/96', [12, 13, 14, 15]],
  ['::ffff:0:0/96', [12, 13, 14, 15]],
  ['::ffff:0:0:0/96', [12, 13, 14, 15]],
  // NAT64 (RFC 6052 §2.2), local NAT64 (RFC 8215).
  ['64:ff9b::/96', [12, 13, 14, 15]],
  ['64:ff9b:1::/48', [12, 13, 14, 15], [6, 7, 9, 10], [7, 9, 10, 11], [9, 10, 11, 12]],
  // 6to4 (RFC 3056 §2). Teredo (RFC 4380 §4): the server; the client is inverted, see below.
  ['2002::/16', [2, 3, 4, 5]],
  ['2001::/32', [4, 5, 6, 7]],
];

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * The kind of a special-purpose address that needs explicit permission; also if the address embeds an IPv4 address of
 * that kind.
 *
 * @returns undefined for an ordinary address
 */
export function uncommonAddress(text: string): AddressKind | undefined {
  const bare = text.replace(/%.*$/, '');
  // ipaddr.js also accepts short, octal and hexadecimal forms.
  if (isIP(bare) === 0) return 'no address';
  for (const address of destinationsOf(ipaddr.parse(bare))) {
    const kind = kindOf(address);
    if (kind !== undefined) return kind;
  }
  return undefined;
}

/** Canonical forms of an address and of the IPv4 addresses that it embeds; of a host name, the name. */
export function equivalents(host: string): readonly string[] {
  const bare = host.replace(/%.*$/, '');
  return isIP(bare) === 0 ? [host] : destinationsOf(ipaddr.parse(bare)).map(String);
}

function kindOf(address: Address): AddressKind | undefined {
  const isCloudService = ipaddr.subnetMatch(address, { cloud: CLOUD_SERVICES }) === 'cloud';
  return isCloudService ? "an address of a cloud's own services" : KINDS[address.range()];
}

/** The address itself, then the IPv4 addresses that it embeds. */
function destinationsOf(address: Address): Address[] {
  const bytes = address.toByteArray();
  if (bytes.length === 4) return [address];
  const networks = EMBEDDINGS.filter(([network]) => address.match(ipaddr.IPv6.parseCIDR(network)));
  const embedded = networks.flatMap(([, ...layouts]) =>
    layouts
      .map((layout) => layout.map((index) => bytes[index] ?? 0))
      // No gateway translates to 0.0.0.0/8: the address has another layout.
      .filter(([first]) => layouts.length === 1 || first !== 0),
  );
  if (address.range() === 'teredo') embedded.push(bytes.slice(12).map((byte) => byte ^ 0xff));
  return [address, ...embedded.map((each) => ipaddr.fromByteArray(each))];
}
