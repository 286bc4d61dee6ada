import { isIPv4, isIPv6 } from 'node:net';
import { quoted } from '../../go-text.ts';
import { BOOL, CIDR, INT, IP, STRING } from '../types.ts';
import { CelError, noSuchOverload, OpaqueValue } from '../values.ts';
import { member, plain, type Functions } from './declaration.ts';

/** Kubernetes' libraries of IP addresses and networks. */
export const ADDRESSES: Functions = {
  ip: [
    plain([STRING], IP, (text: string) => new IpAddress(text)),
    member([CIDR], IP, (network: Network) => network.address),
  ],
  isIP: [plain([STRING], BOOL, (text: string) => parsedAddress(text) !== undefined)],
  'ip.isCanonical': [plain([STRING], BOOL, (text: string) => new IpAddress(text).text === text)],
  family: [member([IP], INT, (address: IpAddress) => (address.bits === 32 ? 4n : 6n))],
  isUnspecified: [member([IP], BOOL, (address: IpAddress) => address.value === 0n)],
  isLoopback: [member([IP], BOOL, (address: IpAddress) => address.isIn('127.0.0.0/8', '::1/128'))],
  isLinkLocalMulticast: [member([IP], BOOL, (address: IpAddress) => address.isIn('224.0.0.0/24', 'ff02::/16'))],
  isLinkLocalUnicast: [member([IP], BOOL, (address: IpAddress) => address.isIn('169.254.0.0/16', 'fe80::/10'))],
  isGlobalUnicast: [member([IP], BOOL, isGlobalUnicast)],
  cidr: [plain([STRING], CIDR, (text: string) => new Network(text))],
  isCIDR: [plain([STRING], BOOL, (text: string) => succeeds(() => new Network(text)))],
  containsIP: [
    member([CIDR, STRING], BOOL, (network: Network, text: string) => {
      const address = parsedAddress(text);
      // What is no address is no argument either.
      if (address === undefined) throw noSuchOverload();
      return network.contains(address);
    }),
    member([CIDR, IP], BOOL, (network: Network, address: IpAddress) => network.contains(address)),
  ],
  containsCIDR: [
    member([CIDR, STRING], BOOL, (network: Network, text: string) => network.covers(new Network(text))),
    member([CIDR, CIDR], BOOL, (network: Network, other: Network) => network.covers(other)),
  ],
  prefixLength: [member([CIDR], INT, (network: Network) => BigInt(network.length))],
  masked: [member([CIDR], CIDR, (network: Network) => network.masked())],
  string: [
    plain([IP], STRING, (address: IpAddress) => address.text),
    plain([CIDR], STRING, (network: Network) => network.text),
  ],
};

class IpAddress extends OpaqueValue {
  readonly typeName = 'net.IP';
  readonly value: bigint;
  readonly bits: 32 | 128;

  constructor(text: string) {
    super();
    if (text.includes('%') && isIPv6(text))
      throw new CelError(`IP address ${quoted(text)} with zone value is not allowed`);
    if (!isIPv4(text) && !isIPv6(text))
      throw new CelError(
        `IP Address ${quoted(text)} parse error during conversion from string: ParseAddr(${quoted(text)}): ${addressProblem(text)}`,
      );
    this.bits = isIPv4(text) ? 32 : 128;
    this.value = this.bits === 32 ? value4(text) : value6(text);
    if (this.bits === 128 && this.value >> 32n === 0xffffn)
      throw new CelError(`IPv4-mapped IPv6 address ${quoted(text)} is not allowed`);
  }

  /** The canonical form. */
  get text(): string {
    return addressText(this.value, this.bits);
  }

  isIn(...networks: string[]): boolean {
    return networks.some((network) => new Network(network).contains(this));
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof IpAddress && other.bits === this.bits && other.value === this.value;
  }
}

class Network extends OpaqueValue {
  readonly typeName = 'net.CIDR';
  readonly address: IpAddress;
  readonly length: number;

  constructor(text: string) {
    super();
    const match = /^([^/]*)\/(\d{1,3})$/.exec(text);
    const [, address = '', length = ''] = match ?? [];
    const fails = (problem: string): CelError => {
      const where = 'network address parse error during conversion from string';
      return new CelError(`${where}: ${where}: netip.ParsePrefix(${quoted(text)}): ${problem}`);
    };
    if (!text.includes('/')) throw fails("no '/'");
    if (!isIPv4(address) && !isIPv6(address)) throw fails(`ParseAddr(${quoted(address)}): ${addressProblem(address)}`);
    if (match === null || (length.length > 1 && length.startsWith('0')))
      throw fails(`bad bits after slash: ${quoted(text.slice(text.lastIndexOf('/') + 1))}`);
    this.address = new IpAddress(address);
    this.length = Number(length);
    if (this.length > this.address.bits) throw fails('prefix length out of range');
  }

  get text(): string {
    return `${this.address.text}/${this.length}`;
  }

  contains({ bits, value }: IpAddress): boolean {
    return bits === this.address.bits && this.#network(value) === this.#network(this.address.value);
  }

  covers(other: Network): boolean {
    return this.length <= other.length && this.contains(other.address);
  }

  masked(): Network {
    const { bits } = this.address;
    const rest = BigInt(bits - this.length);
    return new Network(`${addressText((this.address.value >> rest) << rest, bits)}/${this.length}`);
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof Network && other.length === this.length && other.address.equals(this.address);
  }

  #network(value: bigint): bigint {
    return value >> BigInt(this.address.bits - this.length);
  }
}

function value4(text: string): bigint {
  return text.split('.').reduce((sum, part) => (sum << 8n) + BigInt(part), 0n);
}

function value6(text: string): bigint {
  const plain = text.replace(/(\d+\.\d+\.\d+\.\d+)$/, (tail) => {
    const value = value4(tail);
    return `${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`;
  });
  const [head = '', tail] = plain.split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':'));
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  const all = [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
  return all.reduce((sum, group) => (sum << 16n) + BigInt(`0x${group}`), 0n);
}

function addressText(value: bigint, bits: number): string {
  if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.');
  const groups = Array.from({ length: 8 }, (_, index) => (value >> BigInt(112 - 16 * index)) & 0xffffn);
  // The longest run of zeros, the first of several, and none of one group alone.
  let best = { start: -1, length: 1 };
  for (let start = 0; start < 8; start += 1) {
    let length = 0;
    while (start + length < 8 && groups[start + length] === 0n) length += 1;
    if (length > best.length) best = { start, length };
  }
  const hex = groups.map((group) => group.toString(16));
  if (best.start === -1) return hex.join(':');
  return `${hex.slice(0, best.start).join(':')}::${hex.slice(best.start + best.length).join(':')}`;
}

function isGlobalUnicast(address: IpAddress): boolean {
  if (address.value === 0n || address.isIn('127.0.0.0/8', '::1/128', '169.254.0.0/16', 'fe80::/10')) return false;
  if (address.bits === 32 && address.value === 0xffff_ffffn) return false;
  return !address.isIn('224.0.0.0/4', 'ff00::/8');
}

/** What Go's netip says of a text that is no address; of the many reasons those that people meet. */
function addressProblem(text: string): string {
  if (text.includes(':')) return 'invalid IPv6 address';
  if (!text.includes('.')) return 'unable to parse IP';
  const parts = text.split('.');
  const bad = Array.from(text).findIndex((character) => !/[\d.]/.test(character));
  if (bad !== -1) return `unexpected character (at ${quoted(text.slice(bad))})`;
  if (parts.some((part) => Number(part) > 255)) return 'IPv4 field has value >255';
  if (parts.length < 4) return 'IPv4 address too short';
  if (parts.length > 4) return 'IPv4 address too long';
  return 'IPv4 field has octet with leading zero';
}

function parsedAddress(text: string): IpAddress | undefined {
  try {
    return new IpAddress(text);
  } catch {
    return undefined;
  }
}

function succeeds(attempt: () => unknown): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}
