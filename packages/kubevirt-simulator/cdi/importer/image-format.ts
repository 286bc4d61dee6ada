/** What an image is, by its first bytes (CDI `pkg/image/filefmt.go`). */
export type ImageFormat =
  | { format: 'raw' | 'gzip' }
  | { format: 'qcow2'; virtualSize: number }
  | { format: 'other'; name: string };

/** As many of an image's first bytes as `imageFormat` needs. */
export const HEADER_SIZE = 32;

/** Formats that CDI converts or unpacks and the stand-in does not. */
const OTHERS: { name: string; magic: Buffer }[] = [
  { name: 'xz', magic: Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]) },
  { name: 'zst', magic: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]) },
  { name: 'vmdk', magic: Buffer.from('KDMV') },
  { name: 'vhd', magic: Buffer.from('conectix') },
  { name: 'vhdx', magic: Buffer.from('vhdxfile') },
];

/** @param header the image's first bytes; fewer than HEADER_SIZE where it has no more */
export function imageFormat(header: Buffer): ImageFormat {
  if (startsWith(header, Buffer.from([0x1f, 0x8b]))) return { format: 'gzip' };
  // QCOW2: magic, version (32 bit), backing file (64 + 32 bit), cluster bits (32 bit), size (64 bit), big-endian.
  if (startsWith(header, Buffer.from('QFI\xfb', 'latin1')) && header.length >= HEADER_SIZE) {
    return { format: 'qcow2', virtualSize: Number(header.readBigUInt64BE(24)) };
  }
  const other = OTHERS.find(({ magic }) => startsWith(header, magic));
  // An ISO image is one of those without a mark at its beginning.
  return other === undefined ? { format: 'raw' } : { format: 'other', name: other.name };
}

function startsWith(header: Buffer, magic: Buffer): boolean {
  return header.subarray(0, magic.length).equals(magic);
}
