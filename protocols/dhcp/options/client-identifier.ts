import type { HardwareAddress } from '../lease.ts';
import { readU32, readU48, writeU48 } from '../codec/bytes.ts';

/** Client identifier, option 61: RFC 2132 §9.14, RFC 4361 §6.1. Leases do not depend on it, since clones share it. */
export type ClientIdentifier =
  | { readonly kind: 'hardware'; readonly macAddress: HardwareAddress }
  | { readonly kind: 'duid'; readonly iaid: number; readonly duid: Uint8Array }
  | { readonly kind: 'other'; readonly type: number; readonly value: Uint8Array };

const ETHERNET = 1;
const NODE_SPECIFIC = 255;

export function encodeHardwareIdentifier(macAddress: HardwareAddress): Uint8Array {
  const value = new Uint8Array(7);
  value[0] = ETHERNET;
  writeU48(value, macAddress, 1);
  return value;
}

/** Undefined if shorter than two bytes (RFC 2132). */
export function decodeClientIdentifier(value: Uint8Array): ClientIdentifier | undefined {
  const type = value[0];
  if (type === undefined || value.length < 2) return undefined;
  if (type === ETHERNET && value.length === 7) return { kind: 'hardware', macAddress: readU48(value, 1) };
  if (type === NODE_SPECIFIC && value.length > 5) {
    return { kind: 'duid', iaid: readU32(value, 1), duid: value.subarray(5) };
  }
  return { kind: 'other', type, value: value.subarray(1) };
}
