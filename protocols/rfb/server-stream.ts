import { ByteReader, copy, type Parser, pass, take } from './byte-reader.ts';
import { BYTES_PER_PIXEL, ENCODING, MOST_PIXELS, MOST_TEXT, SET_PIXEL_FORMAT, type Size } from './messages.ts';
import { RfbError } from './rfb-error.ts';

/** What the machine's RFB server sends, as events. A header is a slice that the listener may keep. */
export interface ServerListener {
  /** An answer of the handshake. */
  write(data: Buffer): void;
  /** The handshake is over. */
  started(size: Size): void;
  /** A FramebufferUpdate of `count` rectangles begins; `rectangle` follows for each, and its body for those of pixels. */
  updateBegan(count: number): void;
  rectangle(header: Buffer, rectangle: Rectangle): void;
  /** Bytes of the body of the last rectangle, in pieces. */
  body(data: Buffer): void;
  updateEnded(): void;
  /** The screen has another size from here on. */
  resized(size: Size): void;
  /** The pointer has another shape. `rectangle`: the header and the body. */
  cursorChanged(rectangle: Buffer): void;
  /** The server understands QEMU's extended key events. */
  acceptsExtendedKeys(): void;
  /** A whole Bell or ServerCutText. */
  message(data: Buffer, kind: 'Bell' | 'CutText'): void;
}

export interface Rectangle extends Size {
  encoding: number;
}

/** Maximum bytes of the server's name, and of its reason for a refusal. */
const MOST_NAME = 4_096;
/** Maximum rectangles of an update; the field's highest value has a special meaning elsewhere. */
const MOST_RECTANGLES = 65_000;
/** Maximum width and height of a pointer; that of QEMU. */
const MOST_CURSOR = 512;
/** Bytes of an interrupted update that are made up at most. */
const MOST_FILLED = 4 * 1024 * 1024;
const ZEROS = Buffer.alloc(16 * 1024);

/**
 * The client's side of RFB 3.8 (RFC 6143) with security None, over bytes: it answers the handshake and frames what the server sends.
 * It asks for nothing by itself. Rectangles are Raw, CopyRect, Hextile, DesktopSize, Cursor and the acknowledgement of QEMU's extended
 * key events.
 */
export class ServerStream {
  readonly #reader: ByteReader;
  #isUpdating = false;

  constructor(listener: ServerListener) {
    const noted: ServerListener = {
      ...listener,
      updateBegan: (count) => {
        this.#isUpdating = true;
        listener.updateBegan(count);
      },
      updateEnded: () => {
        this.#isUpdating = false;
        listener.updateEnded();
      },
    };
    this.#reader = new ByteReader(session(noted), (data) => {
      listener.body(data);
    });
  }

  /** @throws RfbError */
  push(data: Buffer): void {
    this.#reader.push(data);
  }

  /**
   * Completes an update that the server has not: zeros read as black pixels, tiles without change, and rectangles without pixels.
   *
   * @returns false if too much is missing
   */
  complete(): boolean {
    try {
      for (let filled = 0; this.#isUpdating && filled < MOST_FILLED; filled += ZEROS.length) this.#reader.push(ZEROS);
      return !this.#isUpdating;
    } catch (error) {
      if (error instanceof RfbError) return false;
      throw error;
    }
  }
}

function* session(listener: ServerListener): Parser {
  yield* handshake(listener);
  const size = sizeIn(yield take(4));
  // The server's own pixel format is replaced.
  const nameLength = (yield take(20)).readUInt32BE(16);
  if (nameLength > MOST_NAME) throw new RfbError('the name of the screen is too long');
  yield take(nameLength);
  listener.write(SET_PIXEL_FORMAT);
  listener.started({ ...size });
  for (;;) {
    const type = yield take(1);
    switch (type[0]) {
      case 0:
        yield* update(listener, size);
        break;
      case 1:
        yield take((yield take(5)).readUInt16BE(3) * 6);
        break;
      case 2:
        listener.message(type, 'Bell');
        break;
      case 3:
        yield* cutText(listener);
        break;
      default:
        throw new RfbError(`the machine's screen sends messages of type ${type[0] ?? 0}`);
    }
  }
}

/** §7.1, §7.2 and ClientInit */
function* handshake(listener: ServerListener): Parser {
  const version = /^RFB 003\.(\d{3})\n$/.exec((yield take(12)).toString('latin1'));
  if (version === null) throw new RfbError("the machine's screen does not speak RFB 3");
  const minor = Math.min(Number(version[1]), 8);
  listener.write(Buffer.from(`RFB 003.00${minor < 7 ? 3 : minor}\n`));
  if (minor < 7) {
    const type = (yield take(4)).readUInt32BE();
    if (type !== 1) yield* refused(type === 0);
  } else {
    const types = yield take((yield take(1))[0] ?? 0);
    if (!types.includes(1)) yield* refused(types.length === 0);
    listener.write(Buffer.from([1]));
  }
  if (minor === 8 && (yield take(4)).readUInt32BE() !== 0) yield* refused(true);
  // Shared: other clients of the server stay.
  listener.write(Buffer.from([1]));
}

function* refused(hasReason: boolean): Parser {
  if (!hasReason) throw new RfbError("the machine's screen asks for a password");
  const reason = yield take(Math.min((yield take(4)).readUInt32BE(), MOST_NAME));
  throw new RfbError(`the machine's screen refuses: ${reason.toString('utf8')}`);
}

/** §7.6.1. Changes `size`. */
function* update(listener: ServerListener, size: Size): Parser {
  const count = (yield take(3)).readUInt16BE(1);
  if (count > MOST_RECTANGLES) throw new RfbError("the machine's screen sends too many rectangles at once");
  listener.updateBegan(count);
  for (let i = 0; i < count; i += 1) {
    const header = yield take(12);
    const encoding = header.readInt32BE(8);
    const [width, height] = [header.readUInt16BE(4), header.readUInt16BE(6)];
    if (isOfPixels(encoding)) {
      const isInside = header.readUInt16BE(0) + width <= size.width && header.readUInt16BE(2) + height <= size.height;
      if (!isInside) throw new RfbError("the machine's screen draws outside of its size");
    }
    listener.rectangle(header, { encoding, width, height });
    switch (encoding) {
      case ENCODING.raw:
        yield pass(width * height * BYTES_PER_PIXEL);
        break;
      case ENCODING.copyRect:
        yield* copyRect({ width, height }, size);
        break;
      case ENCODING.hextile:
        yield* hextile({ width, height });
        break;
      case ENCODING.desktopSize:
        Object.assign(size, sizeIn(header.subarray(4)));
        listener.resized({ ...size });
        break;
      case ENCODING.cursor:
        yield* cursor(listener, header, { width, height });
        break;
      case ENCODING.extendedKey:
        listener.acceptsExtendedKeys();
        break;
      default:
        throw new RfbError(`the machine's screen sends rectangles of encoding ${encoding}`);
    }
  }
  // The last body is forwarded before the end.
  yield take(0);
  listener.updateEnded();
}

/** Whether a rectangle changes pixels of the screen. */
export function isOfPixels(encoding: number): boolean {
  return encoding === ENCODING.raw || encoding === ENCODING.copyRect || encoding === ENCODING.hextile;
}

/** §7.7.2 */
function* copyRect({ width, height }: Size, size: Size): Parser {
  const source = yield copy(4);
  const isInside = source.readUInt16BE(0) + width <= size.width && source.readUInt16BE(2) + height <= size.height;
  if (!isInside) throw new RfbError("the machine's screen copies from outside of its size");
}

/** §7.7.4 */
function* hextile(area: Size): Parser {
  for (let y = 0; y < area.height; y += 16) {
    for (let x = 0; x < area.width; x += 16) {
      const tile = { width: Math.min(16, area.width - x), height: Math.min(16, area.height - y) };
      const mask = (yield copy(1))[0] ?? 0;
      if ((mask & 1) === 0) yield* parts(mask, tile);
      else yield pass(tile.width * tile.height * BYTES_PER_PIXEL);
    }
  }
}

/** A tile of a background and rectangles on it. */
function* parts(mask: number, tile: Size): Parser {
  const hasParts = (mask & 8) !== 0;
  const colours = ((mask & 2) === 0 ? 0 : BYTES_PER_PIXEL) + ((mask & 4) === 0 ? 0 : BYTES_PER_PIXEL);
  const fields = yield copy(colours + (hasParts ? 1 : 0));
  if (!hasParts) return;
  const length = (mask & 16) === 0 ? 2 : 2 + BYTES_PER_PIXEL;
  const all = yield copy((fields.at(-1) ?? 0) * length);
  for (let end = length; end <= all.length; end += length) {
    const [place = 0, size = 0] = all.subarray(end - 2, end);
    const isInside = (place >> 4) + (size >> 4) < tile.width && (place & 15) + (size & 15) < tile.height;
    if (!isInside) throw new RfbError("the machine's screen draws outside of a tile");
  }
}

/** §7.8.1 */
function* cursor(listener: ServerListener, header: Buffer, { width, height }: Size): Parser {
  if (width > MOST_CURSOR || height > MOST_CURSOR) throw new RfbError("the machine's pointer is too large");
  const kept = Buffer.from(header);
  const body = yield take(width * height * BYTES_PER_PIXEL + Math.ceil(width / 8) * height);
  listener.cursorChanged(Buffer.concat([kept, body]));
}

/** §7.6.4 */
function* cutText(listener: ServerListener): Parser {
  const head = Buffer.from(yield take(7));
  const length = head.readUInt32BE(3);
  if (length > MOST_TEXT) throw new RfbError('the text of the clipboard is too long');
  const text = yield take(length);
  listener.message(Buffer.concat([Buffer.from([3]), head, text]), 'CutText');
}

function sizeIn(bytes: Buffer): Size {
  const [width, height] = [bytes.readUInt16BE(0), bytes.readUInt16BE(2)];
  if (width === 0 || height === 0 || width > MOST_PIXELS || height > MOST_PIXELS) {
    throw new RfbError(`the machine's screen has an impossible size: ${width} x ${height}`);
  }
  return { width, height };
}
