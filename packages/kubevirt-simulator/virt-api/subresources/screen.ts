import { crc32, deflateSync } from 'node:zlib';

/** VGA text mode, which is what a guest without graphics shows. */
const WIDTH = 720;
const HEIGHT = 400;
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** A screen with nothing on it but a cursor, as a PNG (ISO/IEC 15948): 1 bit a pixel, greyscale, not interlaced. */
export function screenPng(): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(WIDTH, 0);
  header.writeUInt32BE(HEIGHT, 4);
  header.writeUInt8(1, 8);
  const rowLength = 1 + WIDTH / 8;
  const rows = Buffer.alloc(rowLength * HEIGHT);
  // The cursor of a 9 × 16 character cell: two lines at its foot. Each row begins with the number of its filter.
  for (const line of [13, 14]) rows.writeUInt8(0xff, line * rowLength + 1);
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND')]);
}

function chunk(type: string, data = Buffer.alloc(0)): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, checksum]);
}
