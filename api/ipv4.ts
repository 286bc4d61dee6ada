/** An IPv4 address as an unsigned number of 32 bits, in which ranges are a matter of arithmetic. */
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

const DOTTED = /^(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,2})$/;

/** `10.0.0.1` as a number; undefined for anything but four decimal octets without leading zeros. */
export function parseIpv4(text: string): Ipv4 | undefined {
  const octets = DOTTED.exec(text)?.slice(1).map(Number);
  if (octets?.some((octet) => octet > 255) !== false) return undefined;
  return octets.reduce((address, octet) => address * 256 + octet, 0);
}

export function formatIpv4(address: Ipv4): string {
  return `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`;
}

/** `10.0.0.0/24`; bits beyond the prefix are dropped, as the peers do. Undefined for what is no such text. */
export function parseIpv4Cidr(text: string): Ipv4Cidr | undefined {
  const [, address = '', digits = ''] = /^([0-9.]+)\/(0|[1-9][0-9]?)$/.exec(text) ?? [];
  const parsed = parseIpv4(address);
  const prefix = Number(digits);
  if (parsed === undefined || prefix > 32) return undefined;
  const size = 2 ** (32 - prefix);
  const first = parsed - (parsed % size);
  return { first, last: first + size - 1, prefix };
}

/** `10.0.0.5`, `10.0.0.5-10.0.0.9` or `10.0.0.8/29`; undefined for what is none of these, or runs backwards. */
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
