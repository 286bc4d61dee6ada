import { createHash } from 'node:crypto';

export interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Pixels of a screen, and their encodings; written apart from the code under test. */
export class Picture {
  readonly width: number;
  readonly height: number;
  readonly #pixels: Uint32Array;

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.#pixels = new Uint32Array(width * height);
  }

  /** 0 to 2^32 - 1 */
  get(x: number, y: number): number {
    return this.#pixels[y * this.width + x] ?? 0;
  }

  /** @throws if the area is outside */
  fill({ x, y, width, height }: Area, colourOf: (x: number, y: number) => number): void {
    if (x + width > this.width || y + height > this.height) throw new Error('outside of the picture');
    for (let row = y; row < y + height; row += 1) {
      for (let column = x; column < x + width; column += 1) {
        this.#pixels[row * this.width + column] = colourOf(column, row);
      }
    }
  }

  /** Different for different pictures; readable for small ones. */
  text(): string {
    const pixels =
      this.#pixels.length > 10_000
        ? createHash('sha256').update(this.#pixels).digest('hex')
        : [...this.#pixels].map((pixel) => pixel.toString(36)).join(' ');
    return `${this.width} x ${this.height}: ${pixels}`;
  }

  /** A rectangle: Hextile, or Raw. */
  encode(area: Area, encodings: readonly number[]): Buffer {
    const { x, y, width, height } = area;
    const header = Buffer.alloc(12);
    for (const [i, value] of [x, y, width, height].entries()) header.writeUInt16BE(value, 2 * i);
    if (!encodings.includes(5)) return Buffer.concat([header, this.#raw(area)]);
    header.writeInt32BE(5, 8);
    return Buffer.concat([header, ...this.#tiles(area)]);
  }

  #raw({ x, y, width, height }: Area): Buffer {
    const pixels = Buffer.alloc(width * height * 4);
    for (let i = 0; i < width * height; i += 1) {
      pixels.writeUInt32LE(this.get(x + (i % width), y + Math.floor(i / width)), 4 * i);
    }
    return pixels;
  }

  /** Tiles of each kind: raw, of one colour, and with subrectangles of one pixel. */
  #tiles({ x, y, width, height }: Area): Buffer[] {
    const tiles: Buffer[] = [];
    for (let top = y; top < y + height; top += 16) {
      for (let left = x; left < x + width; left += 16) {
        const tile = {
          ...{ x: left, y: top },
          ...{ width: Math.min(16, x + width - left), height: Math.min(16, y + height - top) },
        };
        tiles.push(this.#tile(tile));
      }
    }
    return tiles;
  }

  #tile(tile: Area): Buffer {
    const raw = this.#raw(tile);
    const background = raw.subarray(0, 4);
    const parts: Buffer[] = [];
    for (let i = 0; i < raw.length / 4; i += 1) {
      const pixel = raw.subarray(4 * i, 4 * i + 4);
      const place = Buffer.from([((i % tile.width) << 4) | Math.floor(i / tile.width), 0]);
      if (!pixel.equals(background)) parts.push(Buffer.concat([pixel, place]));
    }
    if (parts.length === 0) return Buffer.concat([Buffer.from([2]), background]);
    if (parts.length > 40) return Buffer.concat([Buffer.from([1]), raw]);
    return Buffer.concat([Buffer.from([2 | 8 | 16]), background, Buffer.from([parts.length]), ...parts]);
  }
}
