import { RfbServer, type TextScreen } from '../screen/index.ts';
import type { KeyStroke } from '../screen/keyboard.ts';

/** A client of an {@link RfbServer}, which decodes what the server sends into pixels. It needs whole messages. */
export class RfbClient {
  readonly server: RfbServer;
  /** Values of the pixels, row by row. */
  pixels: number[] = [];
  width = 0;
  height = 0;
  name = '';
  /** Encodings of the rectangles of the last update. */
  encodings: number[] = [];
  updates = 0;
  keys: KeyStroke[] = [];
  isBehind = false;
  /** Bytes of a pixel. */
  #pixel = 4;
  #read: 'nothing' | 'init' | 'updates' = 'nothing';
  /** What came before the session. */
  readonly greeting: Buffer[] = [];

  constructor(screen: TextScreen) {
    this.server = new RfbServer({
      screen,
      name: 'test',
      send: (bytes) => {
        this.#receive(bytes);
      },
      isBehind: () => this.isBehind,
      onKey: (stroke) => this.keys.push(stroke),
    });
    this.server.start();
  }

  send(...bytes: readonly number[]): void {
    this.server.received(Buffer.from(bytes));
  }

  /** Begins a session of RFB 3.8. */
  connect(): this {
    this.server.received(Buffer.from('RFB 003.008\n'));
    this.send(1);
    this.#read = 'init';
    this.send(1);
    this.#read = 'updates';
    return this;
  }

  setEncodings(...encodings: readonly number[]): void {
    const bytes = Buffer.alloc(4 + 4 * encodings.length);
    bytes.set([2, 0, 0, encodings.length]);
    for (const [index, encoding] of encodings.entries()) bytes.writeInt32BE(encoding, 4 + 4 * index);
    this.server.received(bytes);
  }

  setFormat(bits: 8 | 16 | 32, format: readonly number[]): void {
    this.send(0, 0, 0, 0, bits, ...format, 0, 0, 0);
    this.#pixel = bits / 8;
  }

  request(incremental: boolean, x = 0, y = 0, width = this.width, height = this.height): void {
    const bytes = Buffer.of(3, incremental ? 1 : 0, 0, 0, 0, 0, 0, 0, 0, 0);
    for (const [index, value] of [x, y, width, height].entries()) bytes.writeUInt16BE(value, 2 + 2 * index);
    this.server.received(bytes);
  }

  #receive(bytes: Buffer): void {
    if (this.#read === 'nothing') this.greeting.push(bytes);
    else if (this.#read === 'init') {
      this.#resize(bytes.readUInt16BE(0), bytes.readUInt16BE(2));
      this.name = bytes.toString('utf8', 24);
    } else this.#draw(bytes);
  }

  #resize(width: number, height: number): void {
    [this.width, this.height] = [width, height];
    this.pixels = Array.from({ length: width * height }, () => -1);
  }

  #draw(bytes: Buffer): void {
    this.updates += 1;
    this.encodings = [];
    let at = 4;
    for (let left = bytes.readUInt16BE(2); left > 0; left -= 1) {
      const [x = 0, y = 0, width = 0, height = 0] = [0, 2, 4, 6].map((offset) => bytes.readUInt16BE(at + offset));
      const encoding = bytes.readInt32BE(at + 8);
      at += 12;
      this.encodings.push(encoding);
      if (encoding === 0) at = this.#raw(bytes, at, { x, y, width, height });
      else if (encoding === 5) at = this.#hextile(bytes, at, { x, y, width, height });
      else if (encoding === 1) {
        this.#copy({ x, y, width, height }, bytes.readUInt16BE(at), bytes.readUInt16BE(at + 2));
        at += 4;
      } else if (encoding === -223) this.#resize(width, height);
      else if (encoding !== -258) throw new Error(`encoding ${encoding}`);
    }
    if (at !== bytes.length) throw new Error(`${bytes.length - at} bytes after the update`);
  }

  #value(bytes: Buffer, at: number): number {
    return bytes.readUIntLE(at, this.#pixel);
  }

  #fill({ x, y, width, height }: Box, value: number): void {
    for (let row = y; row < y + height; row += 1) {
      this.pixels.fill(value, row * this.width + x, row * this.width + x + width);
    }
  }

  #raw(bytes: Buffer, at: number, { x, y, width, height }: Box): number {
    for (let index = 0; index < width * height; index += 1) {
      const pixel = (y + Math.floor(index / width)) * this.width + x + (index % width);
      this.pixels[pixel] = this.#value(bytes, at + index * this.#pixel);
    }
    return at + width * height * this.#pixel;
  }

  #copy(to: Box, fromX: number, fromY: number): void {
    const before = [...this.pixels];
    for (let row = 0; row < to.height; row += 1) {
      for (let column = 0; column < to.width; column += 1) {
        const from = (fromY + row) * this.width + fromX + column;
        this.pixels[(to.y + row) * this.width + to.x + column] = before[from] ?? -1;
      }
    }
  }

  #hextile(bytes: Buffer, start: number, { x, y, width, height }: Box): number {
    let at = start;
    let [background, foreground] = [0, 0];
    const pixel = (): number => {
      at += this.#pixel;
      return this.#value(bytes, at - this.#pixel);
    };
    for (let top = y; top < y + height; top += 16) {
      for (let left = x; left < x + width; left += 16) {
        const tile = { x: left, y: top, width: Math.min(16, x + width - left), height: Math.min(16, y + height - top) };
        const mask = bytes.readUInt8(at++);
        if ((mask & 1) !== 0) {
          at = this.#raw(bytes, at, tile);
          continue;
        }
        if ((mask & 2) !== 0) background = pixel();
        if ((mask & 4) !== 0) foreground = pixel();
        this.#fill(tile, background);
        const count = (mask & 8) === 0 ? 0 : bytes.readUInt8(at++);
        for (let index = 0; index < count; index += 1) {
          const value = (mask & 16) === 0 ? foreground : pixel();
          const [place, size] = [bytes.readUInt8(at++), bytes.readUInt8(at++)];
          this.#fill(
            { x: left + (place >> 4), y: top + (place & 15), width: (size >> 4) + 1, height: (size & 15) + 1 },
            value,
          );
        }
      }
    }
    return at;
  }
}

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}
