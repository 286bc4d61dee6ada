import { readU16, readU32, writeU16, writeU32 } from '../codec/bytes.ts';

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
