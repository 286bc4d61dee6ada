/** Messages of RFC 6143; integers are big-endian. */

/** Encodings of rectangles (RFC 6143 §7.7, §7.8, and the extensions of QEMU and of DesktopName in the community's rfbproto). */
export const ENCODING = {
  raw: 0,
  copyRect: 1,
  hextile: 5,
  desktopSize: -223,
  cursor: -239,
  extendedKey: -258,
  desktopName: -307,
} as const;

export interface Size {
  width: number;
  height: number;
}

/** Maximum width and height in pixels. */
export const MOST_PIXELS = 16_384;
/** Maximum bytes of a clipboard's text. */
export const MOST_TEXT = 1024 * 1024;
export const BYTES_PER_PIXEL = 4;

/** The one pixel format (§7.4): 32 bits, depth 24, little-endian, true colour, 8 bits each at shifts 0 (red), 8 and 16. */
const PIXEL_FORMAT = Buffer.from([32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 0, 8, 16, 0, 0, 0]);

/** Whether pixels in this format have the same bytes as in the shared one. The depth may count the unused bits. */
export function isSharedFormat(format: Buffer): boolean {
  return (
    format[0] === PIXEL_FORMAT[0] &&
    format[2] === 0 &&
    format[3] !== 0 &&
    format.subarray(4, 13).equals(PIXEL_FORMAT.subarray(4, 13))
  );
}

/** Words for a pixel format that is refused. */
export function describeFormat(format: Buffer): string {
  const shifts = [...format.subarray(10, 13)].join(', ');
  const order = format[2] === 0 ? 'little-endian' : 'big-endian';
  return `${format[0] ?? 0} bits, ${order}, shifts ${shifts}`;
}

/** SetPixelFormat (§7.5.1) */
export const SET_PIXEL_FORMAT = Buffer.concat([Buffer.alloc(4), PIXEL_FORMAT]);

/** SetEncodings (§7.5.2), the preferred first. */
export function setEncodings(encodings: readonly number[]): Buffer {
  const message = Buffer.alloc(4 + 4 * encodings.length);
  message[0] = 2;
  message.writeUInt16BE(encodings.length, 2);
  for (const [i, encoding] of encodings.entries()) message.writeInt32BE(encoding, 4 + 4 * i);
  return message;
}

/** FramebufferUpdateRequest (§7.5.3) of the whole screen. */
export function updateRequest({ width, height }: Size, isIncremental: boolean): Buffer {
  const message = Buffer.alloc(10);
  message[0] = 3;
  message[1] = isIncremental ? 1 : 0;
  message.writeUInt16BE(width, 6);
  message.writeUInt16BE(height, 8);
  return message;
}

/** ServerInit (§7.3.2) */
export function serverInit({ width, height }: Size, name: string): Buffer {
  const text = Buffer.from(name);
  const head = Buffer.alloc(4);
  head.writeUInt16BE(width, 0);
  head.writeUInt16BE(height, 2);
  return Buffer.concat([head, PIXEL_FORMAT, lengthOf(text), text]);
}

/** The beginning of a FramebufferUpdate (§7.6.1) with `count` rectangles. */
export function updateHeader(count: number): Buffer {
  const message = Buffer.alloc(4);
  message.writeUInt16BE(count, 2);
  return message;
}

/** The beginning of a rectangle at 0, 0. */
export function rectangleHeader(encoding: number, { width, height }: Size): Buffer {
  const header = Buffer.alloc(12);
  header.writeUInt16BE(width, 4);
  header.writeUInt16BE(height, 6);
  header.writeInt32BE(encoding, 8);
  return header;
}

/** A rectangle without pixels, in place of one that a viewer cannot read. */
export const EMPTY_RECTANGLE = rectangleHeader(ENCODING.raw, { width: 0, height: 0 });

/** DesktopName: UTF-8. */
export function nameRectangle(name: string): Buffer {
  const text = Buffer.from(name);
  return Buffer.concat([rectangleHeader(ENCODING.desktopName, { width: 0, height: 0 }), lengthOf(text), text]);
}

/** A black rectangle of the whole screen. */
export function blackRectangle(size: Size, encoding: typeof ENCODING.raw | typeof ENCODING.hextile): Buffer {
  const header = rectangleHeader(encoding, size);
  if (encoding === ENCODING.raw) {
    return Buffer.concat([header, Buffer.alloc(size.width * size.height * BYTES_PER_PIXEL)]);
  }
  // §7.7.4: the first tile sets the background, and the others have no field.
  const tiles = Math.ceil(size.width / 16) * Math.ceil(size.height / 16);
  return Buffer.concat([header, Buffer.from([2]), Buffer.alloc(BYTES_PER_PIXEL), Buffer.alloc(tiles - 1)]);
}

/** KeyEvent (§7.5.4) */
export function keyEvent(keysym: number, isDown: boolean): Buffer {
  const message = Buffer.alloc(8);
  message[0] = 4;
  message[1] = isDown ? 1 : 0;
  message.writeUInt32BE(keysym, 4);
  return message;
}

function lengthOf(text: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  return length;
}
