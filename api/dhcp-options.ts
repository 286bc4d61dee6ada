import { parseIpv4 } from './ipv4.ts';
import type { IPPoolSpec } from './network-resources.ts';

/** A further DHCP option of an IPPool. */
export type DhcpOption = NonNullable<NonNullable<IPPoolSpec['ipv4Config']>['options']>[number];

const ENCODE: Record<DhcpOption['type'], (value: string) => Uint8Array | undefined> = {
  // Clients may end a text at its first NUL (RFC 2132 §2).
  text: (value) => (value === '' || value.includes('\0') ? undefined : new TextEncoder().encode(value)),
  ip: (value) => encodeAddresses([value]),
  ips: (value) => encodeAddresses(value.split(',')),
  uint8: (value) => encodeInteger(value, 1),
  uint16: (value) => encodeInteger(value, 2),
  uint32: (value) => encodeInteger(value, 4),
  boolean: (value) =>
    /^(true|false|1|0)$/.test(value) ? Uint8Array.of(value === 'true' || value === '1' ? 1 : 0) : undefined,
  hex: encodeHex,
};

/** The bytes of an option's value; undefined if it does not match its type. Booleans: `true`, `false`, `1`, `0`. */
export function encodeDhcpOption({ type, value }: Pick<DhcpOption, 'type' | 'value'>): Uint8Array | undefined {
  return ENCODE[type](type === 'text' ? value : value.trim());
}

function encodeAddresses(texts: readonly string[]): Uint8Array | undefined {
  const addresses = texts.map((text) => parseIpv4(text.trim()));
  if (addresses.includes(undefined)) return undefined;
  return Uint8Array.from(addresses.flatMap((address = 0) => octetsOf(address, 4)));
}

function encodeInteger(text: string, size: 1 | 2 | 4): Uint8Array | undefined {
  if (!/^\d+$/.test(text) || Number(text) >= 2 ** (8 * size)) return undefined;
  return Uint8Array.from(octetsOf(Number(text), size));
}

/** `01:02:0a`, `01 02 0a` or `01020a`. */
function encodeHex(text: string): Uint8Array | undefined {
  const digits = text.replace(/^0x/i, '').replace(/[\s:-]/g, '');
  if (!/^([0-9a-f]{2})+$/i.test(digits)) return undefined;
  return Uint8Array.from(digits.match(/../g) ?? [], (octet) => Number.parseInt(octet, 16));
}

/** Big-endian. */
function octetsOf(value: number, size: number): number[] {
  return Array.from({ length: size }, (_, index) => Math.floor(value / 256 ** (size - 1 - index)) % 256);
}

/**
 * Options that the DHCP protocol itself uses, which are no settings of a pool (RFC 2132 §9, RFC 3011, RFC 3046, RFC 4039,
 * RFC 4702).
 */
export const DHCP_PROTOCOL_OPTIONS: Readonly<Partial<Record<number, string>>> = {
  50: 'requested address',
  51: 'lease time: set leaseTime',
  52: 'option overload',
  53: 'message type',
  54: 'server identifier',
  55: 'parameter request list',
  57: 'maximum message size',
  61: 'client identifier',
  80: 'rapid commit',
  81: "client's full name",
  82: 'relay agent information',
  118: 'subnet selection',
};
