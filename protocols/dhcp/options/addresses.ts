import type { Ipv4 } from '../lease.ts';
import { readU32, writeU32 } from '../codec/bytes.ts';

/** One or more addresses, for options 1, 3, 6, 28, 42, 50, 54 and 150 (RFC 2132). */
export function encodeAddresses(addresses: readonly Ipv4[]): Uint8Array {
  const value = new Uint8Array(4 * addresses.length);
  for (const [i, address] of addresses.entries()) writeU32(value, address, 4 * i);
  return value;
}

/** Undefined if the length is not a multiple of four. */
export function decodeAddresses(value: Uint8Array): Ipv4[] | undefined {
  if (value.length % 4 !== 0) return undefined;
  return Array.from({ length: value.length / 4 }, (_, i) => readU32(value, 4 * i));
}
