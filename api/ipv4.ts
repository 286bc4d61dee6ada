import ipaddr from 'ipaddr.js';

const { IPv4 } = ipaddr;

/** An IPv4 address as an unsigned number of 32 bits, so ranges are arithmetic. */
export type Ipv4 = number;

/** Addresses from `first` to `last`, both included. */
export interface Ipv4Range {
  first: Ipv4;
  last: Ipv4;
}

/** A network: its address, and how many leading bits it has. */
export interface Ipv4Cidr extends Ipv4Range {
  /** 0 to 32. */
  prefix: number;
}

/** `10.0.0.1` as a number; undefined for anything but four decimal octets without leading zeros. */
export function parseIpv4(text: string): Ipv4 | undefined {
  return IPv4.isValidFourPartDecimal(text) ? toNumber(IPv4.parse(text)) : undefined;
}

export function formatIpv4(address: Ipv4): string {
  return `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`;
}

/** `10.0.0.0/24`; bits beyond the prefix are dropped, as other implementations do. Undefined if the text is not a network. */
export function parseIpv4Cidr(text: string): Ipv4Cidr | undefined {
  // ipaddr.js accepts leading zeros in the prefix length.
  if (!IPv4.isValidCIDRFourPartDecimal(text) || /\/0\d/.test(text)) return undefined;
  return {
    first: toNumber(IPv4.networkAddressFromCIDR(text)),
    last: toNumber(IPv4.broadcastAddressFromCIDR(text)),
    prefix: IPv4.parseCIDR(text)[1],
  };
}

/** `10.0.0.1` or `10.0.0.0/24` as a network; undefined for any other text. */
export function parseIpv4Network(text: string): Ipv4Cidr | undefined {
  return parseIpv4Cidr(text.includes('/') ? text : `${text}/32`);
}

/** `10.0.0.5`, `10.0.0.5-10.0.0.9` or `10.0.0.8/29`; undefined for any other text and for a range whose end is before its start. */
export function parseIpv4Range(text: string): Ipv4Range | undefined {
  if (text.includes('/')) return parseIpv4Cidr(text);
  const ends = text.split('-').map(parseIpv4);
  const [first, last = first] = ends;
  if (first === undefined || last === undefined || ends.includes(undefined) || ends.length > 2) return undefined;
  return last < first ? undefined : { first, last };
}

export function contains(range: Ipv4Range, address: Ipv4): boolean {
  return address >= range.first && address <= range.last;
}

export function overlap(a: Ipv4Range, b: Ipv4Range): boolean {
  return a.first <= b.last && b.first <= a.last;
}

function toNumber({ octets }: ipaddr.IPv4): Ipv4 {
  return octets.reduce((address, octet) => address * 256 + octet, 0);
}
