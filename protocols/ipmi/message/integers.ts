/** Unsigned integers in the byte order of IPMI, least significant byte first. */

export function uint16(value: number): Buffer {
  return Buffer.of(value & 0xff, (value >> 8) & 0xff);
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
