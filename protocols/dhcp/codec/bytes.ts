/** Reads two bytes, big-endian. Bytes beyond the end count as zero, so check the length before. */
export function readU16(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
}

/** Reads four bytes, unsigned. */
export function readU32(bytes: Uint8Array, at: number): number {
  return ((readU16(bytes, at) << 16) | readU16(bytes, at + 2)) >>> 0;
}

/** Reads six bytes, more than bit operations support. */
export function readU48(bytes: Uint8Array, at: number): number {
  return readU16(bytes, at) * 2 ** 32 + readU32(bytes, at + 2);
}

export function writeU16(bytes: Uint8Array, value: number, at: number): void {
  bytes[at] = value >>> 8;
  bytes[at + 1] = value;
}

export function writeU32(bytes: Uint8Array, value: number, at: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
}

export function writeU48(bytes: Uint8Array, value: number, at: number): void {
  writeU16(bytes, Math.floor(value / 2 ** 32), at);
  writeU32(bytes, value >>> 0, at + 2);
}
