import type { HardwareAddress } from '../lease.ts';
import { readU16, readU32, readU48, writeU16, writeU48 } from '../codec/bytes.ts';
import { decodeText } from './values.ts';

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

/** UUID of the client's machine, option 97: the type 0, then 16 bytes (RFC 4578 §2.3). */
export function encodeMachineIdentifier(uuid: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.of(0), uuid]);
}

/** The 16 bytes; undefined for another type or length. */
export function decodeMachineIdentifier(value: Uint8Array): Uint8Array | undefined {
  return value.length === 17 && value[0] === 0 ? value.subarray(1) : undefined;
}

/** Client architectures, option 93: a list, most preferred first (RFC 4578 §2.1; values of the IANA registry). */
export const ARCHITECTURE = {
  bios: 0,
  efiIa32: 6,
  efiX64Wrong: 7,
  efiX64: 9,
  efiArm64: 11,
  httpIa32: 15,
  httpX64: 16,
  httpArm64: 19,
  efiRiscv64: 27,
  httpRiscv64: 28,
  s390: 31,
  s390Extended: 32,
} as const;

const NAMES = new Map<number, string>([
  [ARCHITECTURE.bios, 'x86 BIOS'],
  [ARCHITECTURE.efiIa32, 'x86 UEFI'],
  // The registry and the RFC disagree: firmware sends 7 where the registry has 9.
  [ARCHITECTURE.efiX64Wrong, 'x64 UEFI'],
  [ARCHITECTURE.efiX64, 'x64 UEFI (EBC)'],
  [ARCHITECTURE.efiArm64, 'ARM 64-bit UEFI'],
  [ARCHITECTURE.httpIa32, 'x86 UEFI boot from HTTP'],
  [ARCHITECTURE.httpX64, 'x64 UEFI boot from HTTP'],
  [ARCHITECTURE.httpArm64, 'ARM 64-bit UEFI boot from HTTP'],
  [ARCHITECTURE.efiRiscv64, 'RISC-V 64-bit UEFI'],
  [ARCHITECTURE.httpRiscv64, 'RISC-V 64-bit UEFI boot from HTTP'],
  [ARCHITECTURE.s390, 's390 Basic'],
  [ARCHITECTURE.s390Extended, 's390 Extended'],
]);

export function encodeArchitectures(architectures: readonly number[]): Uint8Array {
  const value = new Uint8Array(2 * architectures.length);
  for (const [i, architecture] of architectures.entries()) writeU16(value, architecture, 2 * i);
  return value;
}

/** Undefined if the length is odd. */
export function decodeArchitectures(value: Uint8Array): number[] | undefined {
  if (value.length % 2 !== 0) return undefined;
  return Array.from({ length: value.length / 2 }, (_, i) => readU16(value, 2 * i));
}

export function architectureName(architecture: number): string {
  return NAMES.get(architecture) ?? `architecture ${architecture}`;
}

/** The network interface type of a PXE client, option 94: RFC 4578 §2.2. */
export interface ClientInterface {
  /** 1: UNDI. */
  readonly type: number;
  readonly major: number;
  readonly minor: number;
}

/** Undefined unless it has three bytes. */
export function decodeClientInterface(value: Uint8Array): ClientInterface | undefined {
  const [type, major, minor] = value;
  if (type === undefined || major === undefined || minor === undefined || value.length > 3) return undefined;
  return { type, major, minor };
}

/** Option 77: each class is preceded by its length (RFC 3004). Otherwise the whole value is one class, as iPXE and others send it. */
export function decodeUserClasses(value: Uint8Array): string[] {
  const classes: string[] = [];
  for (let at = 0; at < value.length;) {
    const length = value[at] ?? 0;
    if (length === 0 || at + 1 + length > value.length) return [decodeText(value)];
    classes.push(decodeText(value.subarray(at + 1, at + 1 + length)));
    at += 1 + length;
  }
  return classes;
}
