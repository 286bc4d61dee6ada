/** Where the fixed fields of a message start, RFC 2131 §2, figure 1. */
export const FIELD = {
  op: 0,
  htype: 1,
  hlen: 2,
  hops: 3,
  xid: 4,
  secs: 8,
  flags: 10,
  ciaddr: 12,
  yiaddr: 16,
  siaddr: 20,
  giaddr: 24,
  chaddr: 28,
  sname: 44,
  file: 108,
  cookie: 236,
  options: 240,
} as const;

export const BOOT_REQUEST = 1;
export const BOOT_REPLY = 2;

/** Hardware type of Ethernet, and the length of its addresses: the only ones that leases are for. */
export const ETHERNET = 1;
export const ETHERNET_ADDRESS_LENGTH = 6;

/** Says that what follows are options, RFC 2131 §3. */
export const MAGIC_COOKIE = 0x63825363;

/** The client cannot be reached by unicast yet, RFC 2131 §2, figure 2. */
export const BROADCAST_FLAG = 0x8000;

/** Relay agents and clients of BOOTP drop what is shorter, RFC 1542 §2.1. */
export const MIN_MESSAGE_LENGTH = 300;

/** The field that a datagram of `length` bytes, which is too short, ends in. */
export function fieldCutAt(length: number): string {
  const entries = Object.entries(FIELD);
  return entries.findLast(([, start]) => start <= length)?.[0] ?? 'op';
}
