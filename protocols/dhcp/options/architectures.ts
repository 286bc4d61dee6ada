import { readU16, writeU16 } from '../codec/bytes.ts';

/** Client architectures, option 93: a list, most preferred first (RFC 4578 §2.1; values of the IANA registry). */
export const ARCHITECTURE = {
  bios: 0,
  efiIa32: 6,
  efiX64Wrong: 7,
  efiX64: 9,
  efiArm64: 11,
  httpX64: 16,
  httpArm64: 19,
} as const;

const NAMES = new Map<number, string>([
  [ARCHITECTURE.bios, 'x86 BIOS'],
  [ARCHITECTURE.efiIa32, 'x86 UEFI'],
  // The registry and the RFC disagree: firmware sends 7 where the registry has 9.
  [ARCHITECTURE.efiX64Wrong, 'x64 UEFI'],
  [ARCHITECTURE.efiX64, 'x64 UEFI (EBC)'],
  [ARCHITECTURE.efiArm64, 'ARM 64-bit UEFI'],
  [ARCHITECTURE.httpX64, 'x64 UEFI boot from HTTP'],
  [ARCHITECTURE.httpArm64, 'ARM 64-bit UEFI boot from HTTP'],
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
