import { BlockList, isIP } from 'node:net';

/** Kind of an address, as shown to users. */
export type AddressKind =
  | 'an unspecified address'
  | 'an address of this machine itself'
  | 'a link-local address'
  | "an address of a cloud's own services"
  | 'a multicast address'
  | 'a broadcast address'
  | 'no address';

type Subnet = readonly [network: string, prefix: number];

/** IANA's special-purpose address registries, without private and shared addresses: clusters use those. */
const SUBNETS: Readonly<Record<Exclude<AddressKind, 'no address'>, readonly Subnet[]>> = {
  'an unspecified address': [
    ['0.0.0.0', 8],
    ['::', 128],
  ],
  'an address of this machine itself': [
    ['127.0.0.0', 8],
    ['::1', 128],
  ],
  'a link-local address': [
    ['169.254.0.0', 16],
    ['fe80::', 10],
  ],
  // Metadata services of Alibaba Cloud, Azure, Oracle, AWS, Google, Scaleway and Akamai outside the link-local range.
  "an address of a cloud's own services": [
    ['100.100.100.200', 32],
    ['fd00:100::100:200', 128],
    ['168.63.129.16', 32],
    ['192.0.0.192', 32],
    ['fd00:c1::a9fe:a9fe', 128],
    ['fd00:ec2::', 32],
    ['fd20:ce::254', 128],
    ['fd00:42::42', 128],
    ['fd00:a9fe:a9fe::1', 128],
  ],
  'a multicast address': [
    ['224.0.0.0', 4],
    ['ff00::', 8],
  ],
  'a broadcast address': [['255.255.255.255', 32]],
};

/**
 * The kind of a special-purpose address that needs explicit permission. Recognizes IPv4 inside IPv6, NAT64 (RFC 6052 §2.1) and 6to4
 * (RFC 3056).
 *
 * @returns undefined for an ordinary address
 */
export function uncommonAddress(address: string): AddressKind | undefined {
  const bare = address.replace(/%.*$/, '');
  const family = isIP(bare);
  if (family === 0) return 'no address';
  return LISTS.find(([, list]) => list.check(bare, family === 4 ? 'ipv4' : 'ipv6'))?.[0];
}

const LISTS = Object.entries(SUBNETS).map(([kind, subnets]) => {
  const list = new BlockList();
  for (const subnet of subnets.flatMap(spellings)) list.addSubnet(...subnet);
  // The keys of SUBNETS are known from its type.
  return [kind as AddressKind, list] as const;
});

/** A BlockList matches `::ffff:127.0.0.1` without help. */
function spellings([network, prefix]: Subnet): [network: string, prefix: number, family: 'ipv4' | 'ipv6'][] {
  if (isIP(network) === 6) return [[network, prefix, 'ipv6']];
  const hex = Buffer.from(network.split('.').map(Number)).toString('hex');
  return [
    [network, prefix, 'ipv4'],
    [`64:ff9b::${network}`, 96 + prefix, 'ipv6'],
    [`2002:${hex.slice(0, 4)}:${hex.slice(4)}::`, 16 + prefix, 'ipv6'],
  ];
}
