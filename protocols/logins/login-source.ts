const IPV6_GROUPS = 8;
/** Number of 16-bit groups in the network prefix of an IPv6 address; a client can use all addresses of its /64. */
const NETWORK_GROUPS = 4;

/** One source of log-ins: an IPv4 address or an IPv6 /64 network. */
export function loginSource(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  if (!plain.includes(':')) return plain;
  const [front = '', back] = plain.split('::');
  const head = groupsOf(front);
  if (back === undefined) return networkOf(head);
  const tail = groupsOf(back);
  const zeros = Array.from({ length: Math.max(0, IPV6_GROUPS - head.length - tail.length) }, () => '0');
  return networkOf([...head, ...zeros, ...tail]);
}

function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':');
}

function networkOf(groups: readonly string[]): string {
  return `${groups.slice(0, NETWORK_GROUPS).join(':')}::/64`;
}
