import type { Picture } from './picture.ts';
import type { Colours } from './pixel-format.ts';

/** Numbers of encodings and pseudo-encodings (RFC 6143 § 7.7 and 7.8, and QEMU's). */
export const ENCODING = {
  raw: 0,
  copyRect: 1,
  hextile: 5,
  desktopSize: -223,
  extendedKeyEvent: -258,
} as const;

/** All pixels, row by row (RFC 6143 § 7.7.1). */
export function raw({ pixels }: Picture, colours: Colours): Buffer {
  const encoded = likewise(colours, pixels.length);
  for (let index = 0; index < pixels.length; index += 1) encoded[index] = colours[pixels[index] ?? 0] ?? 0;
  return Buffer.from(encoded.buffer);
}

function likewise(colours: Colours, length: number): Colours {
  if (colours instanceof Uint8Array) return new Uint8Array(length);
  return colours instanceof Uint16Array ? new Uint16Array(length) : new Uint32Array(length);
}

/** Width and height of a tile. */
const TILE = 16;
/** Bits of a tile's first byte. */
const MASK = { raw: 1, background: 2, foreground: 4, anySubrects: 8, coloured: 16 } as const;

/** Tiles with a background and rectangles of other colours (RFC 6143 § 7.7.4). */
export function hextile(picture: Picture, colours: Colours): Buffer {
  const tiles: Buffer[] = [];
  for (let y = 0; y < picture.height; y += TILE) {
    for (let x = 0; x < picture.width; x += TILE) tiles.push(encodeTile(cut(picture, x, y), colours));
  }
  return Buffer.concat(tiles);
}

/** A tile; those at the right and the lower edge are smaller. */
function cut({ width, height, pixels }: Picture, x: number, y: number): Picture {
  const tile = { width: Math.min(TILE, width - x), height: Math.min(TILE, height - y) };
  const own = new Uint8Array(tile.width * tile.height);
  for (let row = 0; row < tile.height; row += 1) {
    const at = (y + row) * width + x;
    own.set(pixels.subarray(at, at + tile.width), row * tile.width);
  }
  return { ...tile, pixels: own };
}

function encodeTile(tile: Picture, colours: Colours): Buffer {
  const background = mostFrequent(tile.pixels);
  const rectangles = rectanglesOf(tile, background);
  const [first] = rectangles;
  const pixel = (index: number): Uint8Array => raw({ width: 1, height: 1, pixels: Uint8Array.of(index) }, colours);
  if (first === undefined) return Buffer.concat([Buffer.of(MASK.background), pixel(background)]);
  const isPlain = rectangles.every(({ colour }) => colour === first.colour);
  const kind = isPlain ? MASK.foreground : MASK.coloured;
  const encoded = Buffer.concat([
    Buffer.of(MASK.background | MASK.anySubrects | kind),
    pixel(background),
    ...(isPlain ? [pixel(first.colour)] : []),
    Buffer.of(rectangles.length),
    ...rectangles.flatMap(({ x, y, width, height, colour }) => [
      ...(isPlain ? [] : [pixel(colour)]),
      Buffer.of((x << 4) | y, ((width - 1) << 4) | (height - 1)),
    ]),
  ]);
  const plain = Buffer.concat([Buffer.of(MASK.raw), raw(tile, colours)]);
  return rectangles.length > 255 || encoded.length > plain.length ? plain : encoded;
}

function mostFrequent(pixels: Uint8Array): number {
  const counts = new Uint16Array(16);
  for (const index of pixels) counts[index] = (counts[index] ?? 0) + 1;
  return counts.indexOf(Math.max(...counts));
}

interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
  colour: number;
}

/** Rectangles of one colour that cover all pixels but those of the background. */
function rectanglesOf({ width, height, pixels }: Picture, background: number): Rectangle[] {
  const rectangles: Rectangle[] = [];
  const left = pixels.slice();
  for (let at = 0; at < left.length; at += 1) {
    const colour = left[at];
    if (colour === undefined || colour === background) continue;
    const x = at % width;
    const y = Math.floor(at / width);
    let right = x + 1;
    while (right < width && left[y * width + right] === colour) right += 1;
    let bottom = y + 1;
    const isSame = (row: number): boolean =>
      left.subarray(row * width + x, row * width + right).every((other) => other === colour);
    while (bottom < height && isSame(bottom)) bottom += 1;
    for (let row = y; row < bottom; row += 1) left.fill(background, row * width + x, row * width + right);
    rectangles.push({ x, y, width: right - x, height: bottom - y, colour });
  }
  return rectangles;
}
