/** Offsets of the fixed fields of a message, RFC 2131 §2, figure 1. */
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

/** Hardware type and address length of Ethernet; leases exist for no other type. */
export const ETHERNET = 1;
export const ETHERNET_ADDRESS_LENGTH = 6;

/** Marks the start of the options, RFC 2131 §3. */
export const MAGIC_COOKIE = 0x63825363;

/** The client cannot receive unicast yet, RFC 2131 §2, figure 2. */
export const BROADCAST_FLAG = 0x8000;

/** BOOTP relay agents and clients drop shorter messages, RFC 1542 §2.1. */
export const MIN_MESSAGE_LENGTH = 300;

/** The field in which a too short datagram of `length` bytes ends. */
export function fieldCutAt(length: number): string {
  const entries = Object.entries(FIELD);
  return entries.findLast(([, start]) => start <= length)?.[0] ?? 'op';
}

/** Values of option 53, RFC 2132 §9.6. */
export const MESSAGE_TYPE = {
  discover: 1,
  offer: 2,
  request: 3,
  decline: 4,
  ack: 5,
  nak: 6,
  release: 7,
  inform: 8,
} as const;

const NAMES = ['', 'DISCOVER', 'OFFER', 'REQUEST', 'DECLINE', 'ACK', 'NAK', 'RELEASE', 'INFORM'];

/** `OFFER` for 2; the number for unknown types. */
export function messageTypeName(type: number): string {
  return NAMES[type] === undefined || NAMES[type] === '' ? `${type}` : NAMES[type];
}
