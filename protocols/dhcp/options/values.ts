import { readU16, readU32, writeU16, writeU32 } from '../codec/bytes.ts';
import type { Ipv4 } from '../lease.ts';

/** A number of one, two or four bytes, for options 26, 51, 57, 58, 59, 108 (RFC 2132, RFC 8925). */
export function encodeU8(number: number): Uint8Array {
  return Uint8Array.of(number);
}

export function encodeU16(number: number): Uint8Array {
  const value = new Uint8Array(2);
  writeU16(value, number, 0);
  return value;
}

export function encodeU32(number: number): Uint8Array {
  const value = new Uint8Array(4);
  writeU32(value, number, 0);
  return value;
}

/** Undefined if the value has another length; the same for the functions below. */
export function decodeU8(value: Uint8Array): number | undefined {
  return value.length === 1 ? value[0] : undefined;
}

export function decodeU16(value: Uint8Array): number | undefined {
  return value.length === 2 ? readU16(value, 0) : undefined;
}

export function decodeU32(value: Uint8Array): number | undefined {
  return value.length === 4 ? readU32(value, 0) : undefined;
}

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

const UTF8 = new TextEncoder();
const FROM_UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Text for options 12, 15, 60, 66, 67, 114 and 252 (RFC 2132 §2: no terminating NUL). */
export function encodeText(text: string): Uint8Array {
  return UTF8.encode(text);
}

/** Trailing NULs of some clients are removed; invalid UTF-8 becomes U+FFFD. */
export function decodeText(value: Uint8Array): string {
  let length = value.length;
  while (length > 0 && value[length - 1] === 0) length -= 1;
  return FROM_UTF8.decode(value.subarray(0, length));
}
