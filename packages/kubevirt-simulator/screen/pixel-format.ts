import { PALETTE } from './picture.ts';
import { RfbError } from './rfb-error.ts';

/** Bytes of a PIXEL_FORMAT (RFC 6143 § 7.4). */
export const FORMAT_LENGTH = 16;

/** How a client wants its pixels: true colour. */
export interface PixelFormat {
  bitsPerPixel: 8 | 16 | 32;
  depth: number;
  isBigEndian: boolean;
  /** Largest value of red, green and blue: one less than a power of two. */
  max: readonly [number, number, number];
  /** Bits by which red, green and blue are shifted to the left. */
  shift: readonly [number, number, number];
}

/** QEMU's. */
export const SERVER_FORMAT: PixelFormat = {
  bitsPerPixel: 32,
  depth: 24,
  isBigEndian: false,
  max: [255, 255, 255],
  shift: [16, 8, 0],
};

export function encodeFormat({ bitsPerPixel, depth, isBigEndian, max, shift }: PixelFormat): Buffer {
  const bytes = Buffer.alloc(FORMAT_LENGTH);
  bytes.set([bitsPerPixel, depth, isBigEndian ? 1 : 0, 1]);
  for (const [index, value] of max.entries()) bytes.writeUInt16BE(value, 4 + 2 * index);
  bytes.set(shift, 10);
  return bytes;
}

/** @throws RfbError for a colour map, and for colours that do not fit into a pixel */
export function decodeFormat(bytes: Buffer): PixelFormat {
  const bitsPerPixel = bytes.readUInt8(0);
  if (bitsPerPixel !== 8 && bitsPerPixel !== 16 && bitsPerPixel !== 32) {
    throw new RfbError(`pixels of ${bitsPerPixel} bits are not supported: use 8, 16 or 32`);
  }
  if (bytes.readUInt8(3) === 0) throw new RfbError('colour maps are not supported: use true colour');
  const max = [bytes.readUInt16BE(4), bytes.readUInt16BE(6), bytes.readUInt16BE(8)] as const;
  const shift = [bytes.readUInt8(10), bytes.readUInt8(11), bytes.readUInt8(12)] as const;
  for (const [index, value] of max.entries()) {
    const bits = 32 - Math.clz32(value);
    if (value === 0 || value !== 2 ** bits - 1 || (shift[index] ?? 0) + bits > bitsPerPixel) {
      throw new RfbError(`a colour of maximum ${value} and shift ${shift[index]} does not fit into the pixel`);
    }
  }
  return { bitsPerPixel, depth: bytes.readUInt8(1), isBigEndian: bytes.readUInt8(2) !== 0, max, shift };
}

/** The palette in a client's format: an array whose elements have the bytes of a pixel in the order of the wire. */
export type Colours = Uint8Array | Uint16Array | Uint32Array;

export function coloursIn({ bitsPerPixel, isBigEndian, max, shift }: PixelFormat): Colours {
  const length = bitsPerPixel / 8;
  const bytes = Buffer.from(new ArrayBuffer(PALETTE.length * length));
  for (const [index, colour] of PALETTE.entries()) {
    const value = colour.reduce(
      (sum, part, channel) => sum + Math.round((part * (max[channel] ?? 0)) / 255) * 2 ** (shift[channel] ?? 0),
      0,
    );
    if (isBigEndian) bytes.writeUIntBE(value, index * length, length);
    else bytes.writeUIntLE(value, index * length, length);
  }
  if (length === 1) return new Uint8Array(bytes.buffer);
  return length === 2 ? new Uint16Array(bytes.buffer) : new Uint32Array(bytes.buffer);
}
