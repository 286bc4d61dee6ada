import { ByteReader, type Parser, take } from '../byte-reader.ts';
import type { AttachedViewer, Viewer } from '../viewer.ts';
import { Picture } from './picture.ts';

export interface TestViewerOptions {
  name?: string;
  canType?: boolean;
  isShared?: boolean;
  version?: string;
  encodings?: readonly number[];
  /** Whether it asks for the next update by itself. */
  isKeen?: boolean;
}

/** What noVNC reads. */
const ALL = [1, 16, 5, 0, -223, -224, -258, -307, -239];

/** A viewer that draws what it gets into a picture, and fails at what it has not announced. */
export class TestViewer implements Viewer {
  readonly name: string;
  canType: boolean;
  /** True: nothing that is sent to it arrives. */
  isStuck = false;
  picture: Picture | undefined;
  title = '';
  pointer: number | undefined;
  hasExtendedKeys = false;
  updates = 0;
  readonly encodingsSeen = new Set<number>();
  readonly others: number[] = [];
  end: string | undefined;
  readonly #options: Required<TestViewerOptions>;
  readonly #reader: ByteReader;
  #attached: AttachedViewer | undefined;
  #unsent: Buffer[] = [];

  constructor(options: TestViewerOptions = {}) {
    const defaults = { name: 'ann from ::1', canType: true, isShared: true, version: 'RFB 003.008\n' };
    this.#options = { ...defaults, encodings: ALL, isKeen: true, ...options };
    this.name = this.#options.name;
    this.canType = this.#options.canType;
    this.#reader = new ByteReader(this.#session(), () => undefined);
  }

  get buffered(): number {
    return this.#unsent.reduce((sum, { length }) => sum + length, 0);
  }

  /** Begins the handshake. */
  begin(attached: AttachedViewer): void {
    this.#attached = attached;
    this.drain();
  }

  send(data: Buffer): void {
    if (this.end !== undefined) throw new Error('sent after the end');
    this.#unsent.push(Buffer.from(data));
    // As a socket does: later.
    queueMicrotask(() => {
      if (!this.isStuck) this.drain();
    });
  }

  close(reason: string, message: string): void {
    this.end = `${reason}: ${message}`;
  }

  /** What was sent arrives, or its first `count` pieces. */
  drain(count = Infinity): void {
    if (this.#attached === undefined) return;
    for (let i = 0; i < count; i += 1) {
      const data = this.#unsent.shift();
      if (data === undefined) break;
      this.#reader.push(data);
    }
    if (this.end === undefined) this.#attached.written();
  }

  leave(): void {
    this.end = 'left';
    this.#attached?.closed();
  }

  say(...bytes: number[]): void {
    this.#write(Buffer.from(bytes));
  }

  ask(isIncremental = true): void {
    const size = Buffer.alloc(4);
    size.writeUInt16BE(this.picture?.width ?? 0, 0);
    size.writeUInt16BE(this.picture?.height ?? 0, 2);
    this.say(3, isIncremental ? 1 : 0, 0, 0, 0, 0, ...size);
  }

  #write(data: Buffer): void {
    if (this.end === undefined) this.#attached?.received(data);
  }

  *#session(): Parser {
    yield take(12);
    const { version, isShared, encodings, isKeen } = this.#options;
    this.#write(Buffer.from(version));
    if (version === 'RFB 003.003\n') {
      yield take(4);
    } else {
      yield take((yield take(1))[0] ?? 0);
      this.say(1);
      if (version === 'RFB 003.008\n') yield take(4);
    }
    this.say(isShared ? 1 : 0);
    const init = yield take(24);
    this.picture = new Picture(init.readUInt16BE(0), init.readUInt16BE(2));
    this.title = (yield take(init.readUInt32BE(20))).toString('utf8');
    const list = Buffer.alloc(4 * encodings.length);
    for (const [i, encoding] of encodings.entries()) list.writeInt32BE(encoding, 4 * i);
    this.say(2, 0, 0, encodings.length, ...list);
    if (isKeen) this.ask(false);
    for (;;) {
      const type = (yield take(1))[0] ?? 0;
      if (type === 0) {
        yield* this.#update();
        this.updates += 1;
        if (isKeen) this.ask();
      } else {
        this.others.push(type);
        if (type === 3) yield take((yield take(7)).readUInt32BE(3));
        else if (type !== 2) throw new Error(`a message of type ${type}`);
      }
    }
  }

  *#update(): Parser {
    const count = (yield take(3)).readUInt16BE(1);
    for (let i = 0; i < count; i += 1) {
      const header = yield take(12);
      const [x, y, width, height] = [0, 2, 4, 6].map((at) => header.readUInt16BE(at)) as [
        number,
        number,
        number,
        number,
      ];
      const encoding = header.readInt32BE(8);
      if (encoding !== 0 && !this.#options.encodings.includes(encoding)) throw new Error(`encoding ${encoding}`);
      this.encodingsSeen.add(encoding);
      const { picture } = this;
      if (encoding === 0) {
        const pixels = yield take(width * height * 4);
        picture?.fill({ x, y, width, height }, (column, row) =>
          pixels.readUInt32LE(4 * ((row - y) * width + column - x)),
        );
      } else if (encoding === 1) {
        const from = yield take(4);
        const [left, top] = [from.readUInt16BE(0) - x, from.readUInt16BE(2) - y];
        const before = Array.from({ length: width * height }, (_, j) =>
          picture?.get(left + x + (j % width), top + y + Math.floor(j / width)),
        );
        picture?.fill({ x, y, width, height }, (column, row) => before[(row - y) * width + column - x] ?? 0);
      } else if (encoding === 5) yield* this.#hextile({ x, y, width, height });
      else if (encoding === -223) this.picture = new Picture(width, height);
      else if (encoding === -258) this.hasExtendedKeys = true;
      else if (encoding === -307) this.title = (yield take((yield take(4)).readUInt32BE())).toString('utf8');
      else if (encoding === -239) this.pointer = (yield take(width * height * 4 + Math.ceil(width / 8) * height))[0];
    }
  }

  *#hextile(area: { x: number; y: number; width: number; height: number }): Parser {
    let background = 0;
    let foreground = 0;
    for (let y = area.y; y < area.y + area.height; y += 16) {
      for (let x = area.x; x < area.x + area.width; x += 16) {
        const width = Math.min(16, area.x + area.width - x);
        const height = Math.min(16, area.y + area.height - y);
        const mask = (yield take(1))[0] ?? 0;
        if (mask & 1) {
          const pixels = yield take(width * height * 4);
          this.picture?.fill({ x, y, width, height }, (column, row) =>
            pixels.readUInt32LE(4 * ((row - y) * width + column - x)),
          );
          continue;
        }
        if (mask & 2) background = (yield take(4)).readUInt32LE();
        if (mask & 4) foreground = (yield take(4)).readUInt32LE();
        this.picture?.fill({ x, y, width, height }, () => background);
        const parts = mask & 8 ? ((yield take(1))[0] ?? 0) : 0;
        for (let i = 0; i < parts; i += 1) {
          const colour = mask & 16 ? (yield take(4)).readUInt32LE() : foreground;
          const [place = 0, size = 0] = yield take(2);
          const part = { x: x + (place >> 4), y: y + (place & 15), width: (size >> 4) + 1, height: (size & 15) + 1 };
          this.picture?.fill(part, () => colour);
        }
      }
    }
  }
}
