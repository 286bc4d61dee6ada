import type { DisplayGap } from '../../machine/index.ts';
import { MemoryDisplay } from '../../testing/index.ts';
import { ByteReader, type Parser, take } from '../byte-reader.ts';
import { Picture } from './picture.ts';

/** A machine's RFB server with a picture: it answers requests, and remembers them. It connects when it is told to. */
export class TestMachine extends MemoryDisplay {
  override connects = false;
  picture: Picture;
  /** The pointer's shape, 8 x 1 pixels; sent to clients that can read it. */
  pointer: number | undefined;
  readonly input: Buffer[] = [];
  /** `incremental` or `full`, in order. */
  readonly requests: string[] = [];
  encodings: readonly number[] = [];
  /** Cuts what it sends. */
  cut: (data: Buffer) => readonly Buffer[] = (data) => [data];
  /** Whether it answers requests at once; else by `answer`. */
  isPrompt = true;
  /** Whether it says that it knows QEMU's extended key events. */
  acknowledges = true;
  #reader: ByteReader | undefined;
  #version = 'RFB 003.008\n';
  #wants: 'nothing' | 'changes' | 'all' = 'nothing';
  /** The size that the client knows. */
  #told = '';
  #changed: { x: number; y: number; width: number; height: number }[] = [];

  constructor(width = 40, height = 24) {
    super();
    this.picture = new Picture(width, height);
  }

  /** A new stream begins. */
  override connect(version = this.#version): void {
    this.#version = version;
    this.encodings = [];
    this.#wants = 'nothing';
    this.#changed = [];
    this.#reader = new ByteReader(this.#session(), () => undefined);
    super.connect();
    this.say(Buffer.from(version));
  }

  override interrupt(gap: DisplayGap = { kind: 'Lost', message: 'it was lost' }): void {
    this.#reader = undefined;
    super.interrupt(gap);
  }

  override say(data: Buffer): void {
    for (const piece of this.cut(data)) super.say(Buffer.from(piece));
  }

  protected override receive(data: Buffer): void {
    const reader = this.#reader;
    // As a socket does: later.
    queueMicrotask(() => {
      if (this.#reader === reader) reader?.push(data);
    });
  }

  /** Fills a rectangle, which is sent as the answer to the next request. */
  draw(x: number, y: number, width: number, height: number, colour: number): void {
    this.picture.fill({ x, y, width, height }, () => colour);
    this.#changed.push({ x, y, width, height });
    if (this.isPrompt) this.answer();
  }

  resize(width: number, height: number): void {
    this.picture = new Picture(width, height);
    this.picture.fill({ x: 0, y: 0, width, height }, (x, y) => (x * 8) ^ (y * 1024));
    this.#changed = [{ x: 0, y: 0, width, height }];
    this.#tellSize();
    if (this.isPrompt) this.answer();
  }

  /** Sends what was asked and has changed. */
  answer(): void {
    const { width, height } = this.picture;
    if (this.#wants === 'all') this.#changed = [{ x: 0, y: 0, width, height }];
    if (this.#wants === 'nothing' || this.#changed.length === 0) return;
    this.#wants = 'nothing';
    const rectangles = this.#changed.map((area) => this.picture.encode(area, this.encodings));
    this.#changed = [];
    if (this.pointer !== undefined && this.encodings.includes(-239)) rectangles.push(pointerOf(this.pointer));
    const header = Buffer.alloc(4);
    header.writeUInt16BE(rectangles.length, 2);
    this.say(Buffer.concat([header, ...rectangles]));
  }

  /** As QEMU, also when a client says later that it can follow. */
  #tellSize(): void {
    const { width, height } = this.picture;
    if (this.#told === `${width} x ${height}` || !this.encodings.includes(-223)) return;
    this.#told = `${width} x ${height}`;
    const update = Buffer.alloc(16);
    update.writeUInt16BE(1, 2);
    update.writeUInt16BE(width, 8);
    update.writeUInt16BE(height, 10);
    update.writeInt32BE(-223, 12);
    this.say(update);
  }

  *#session(): Parser {
    const version = (yield take(12)).toString('latin1');
    if (version === 'RFB 003.003\n') {
      this.say(Buffer.from([0, 0, 0, 1]));
    } else {
      this.say(Buffer.from([2, 2, 1]));
      yield take(1);
      if (version === 'RFB 003.008\n') this.say(Buffer.alloc(4));
    }
    yield take(1);
    const { width, height } = this.picture;
    const init = Buffer.alloc(24 + 4);
    this.#told = `${width} x ${height}`;
    init.writeUInt16BE(width, 0);
    init.writeUInt16BE(height, 2);
    init.writeUInt32BE(4, 20);
    init.write('QEMU', 24);
    this.say(init);
    for (;;) {
      const type = (yield take(1))[0] ?? 0;
      if (type === 0) yield take(19);
      else if (type === 2) yield* this.#readEncodings();
      else if (type === 3) {
        const isIncremental = (yield take(9))[0] !== 0;
        this.requests.push(isIncremental ? 'incremental' : 'full');
        if (!isIncremental) this.#wants = 'all';
        else if (this.#wants === 'nothing') this.#wants = 'changes';
        if (this.isPrompt) this.answer();
      } else if (type === 6) {
        const head = yield take(7);
        this.input.push(Buffer.concat([Buffer.from([6]), head, yield take(head.readUInt32BE(3))]));
      } else {
        const length = { 4: 7, 5: 5, 255: 11 }[type];
        if (length === undefined) throw new Error(`a client sent a message of type ${type}`);
        this.input.push(Buffer.concat([Buffer.from([type]), yield take(length)]));
      }
    }
  }

  *#readEncodings(): Parser {
    const count = (yield take(3)).readUInt16BE(1);
    const list = yield take(4 * count);
    this.encodings = Array.from({ length: count }, (_, i) => list.readInt32BE(4 * i));
    this.#tellSize();
    // QEMU acknowledges at once, unasked.
    if (this.acknowledges && this.encodings.includes(-258))
      this.say(Buffer.from('000000010000000000000000fffffefe', 'hex'));
  }
}

function pointerOf(colour: number): Buffer {
  const rectangle = Buffer.alloc(12 + 8 * 4 + 1, colour);
  rectangle.fill(0, 0, 12);
  rectangle.writeUInt16BE(8, 4);
  rectangle.writeUInt16BE(1, 6);
  rectangle.writeInt32BE(-239, 8);
  return rectangle;
}
