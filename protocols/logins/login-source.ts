import ipaddr from 'ipaddr.js';

const { IPv6 } = ipaddr;

/** Number of 16-bit parts in the network prefix of an IPv6 address; a client can use all addresses of its /64. */
const NETWORK_PARTS = 4;

/** One source of log-ins: an IPv4 address or an IPv6 /64 network. */
export function loginSource(address: string): string {
  const plain = address.replace(/%.*$/, '');
  if (!IPv6.isValid(plain)) return plain;
  const parsed = IPv6.parse(plain);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  return `${new IPv6([...parsed.parts.slice(0, NETWORK_PARTS), 0, 0, 0, 0]).toString()}/64`;
}
