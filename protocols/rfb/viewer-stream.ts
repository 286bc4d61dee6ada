import { ByteReader, type Parser, take } from './byte-reader.ts';
import { describeFormat, isSharedFormat, MOST_TEXT } from './messages.ts';
import { RfbError } from './rfb-error.ts';

/** What a viewer sends, as events. */
export interface ViewerListener {
  /** An answer of the handshake. */
  write(data: Buffer): void;
  /** ClientInit. `isShared` false: it asks for the screen alone. */
  started(isShared: boolean): void;
  encodings(encodings: ReadonlySet<number>): void;
  /** It wants an update; not incremental: of the whole screen. */
  requested(isIncremental: boolean): void;
  /** A whole KeyEvent, PointerEvent, ClientCutText or QEMU extended key event. */
  input(message: Buffer, kind: InputKind): void;
}

export type InputKind = 'Key' | 'ExtendedKey' | 'Pointer' | 'CutText';

/** Maximum encodings that a viewer names. */
const MOST_ENCODINGS = 1_024;

/** The server's side of RFB 3.3, 3.7 and 3.8 (RFC 6143) with security None, over bytes, up to ServerInit, which the listener sends. */
export class ViewerStream {
  readonly #reader: ByteReader;

  constructor(listener: ViewerListener) {
    this.#reader = new ByteReader(session(listener), () => undefined);
  }

  /** @throws RfbError */
  push(data: Buffer): void {
    this.#reader.push(data);
  }
}

function* session(listener: ViewerListener): Parser {
  yield* handshake(listener);
  listener.started((yield take(1))[0] !== 0);
  for (;;) {
    const [type] = yield take(1);
    switch (type) {
      case 0:
        checkFormat((yield take(19)).subarray(3));
        break;
      case 2:
        yield* encodings(listener);
        break;
      case 3:
        listener.requested((yield take(9))[0] !== 0);
        break;
      case 4:
        listener.input(whole(4, yield take(7)), 'Key');
        break;
      case 5:
        listener.input(whole(5, yield take(5)), 'Pointer');
        break;
      case 6:
        yield* cutText(listener);
        break;
      case 255:
        yield* extendedKey(listener);
        break;
      default:
        throw new RfbError(`the viewer sends messages of type ${type ?? 0}, which were not offered`);
    }
  }
}

/** §7.1, §7.2 */
function* handshake(listener: ViewerListener): Parser {
  listener.write(Buffer.from('RFB 003.008\n'));
  const version = /^RFB 003\.(\d{3})\n$/.exec((yield take(12)).toString('latin1'));
  if (version === null) throw new RfbError('the viewer does not speak RFB 3');
  // §7.1.1: unknown versions are 3.3; some viewers say 3.889.
  const number = Number(version[1]);
  const minor = number >= 8 ? 8 : number === 7 ? 7 : 3;
  if (minor === 3) {
    listener.write(Buffer.from([0, 0, 0, 1]));
    return;
  }
  listener.write(Buffer.from([1, 1]));
  if ((yield take(1))[0] !== 1) throw new RfbError('the viewer asks for a security type that was not offered');
  if (minor === 8) listener.write(Buffer.alloc(4));
}

/** §7.5.1 */
function checkFormat(format: Buffer): void {
  if (isSharedFormat(format)) return;
  const words = describeFormat(format);
  throw new RfbError(
    `viewers share one pixel format: 32 bits, little-endian, shifts 0, 8, 16; not ${words}`,
    'PixelFormat',
  );
}

/** §7.5.2 */
function* encodings(listener: ViewerListener): Parser {
  const count = (yield take(3)).readUInt16BE(1);
  if (count > MOST_ENCODINGS) throw new RfbError('the viewer names too many encodings');
  const list = yield take(4 * count);
  listener.encodings(new Set(Array.from({ length: count }, (_, i) => list.readInt32BE(4 * i))));
}

/** §7.5.6 */
function* cutText(listener: ViewerListener): Parser {
  const head = Buffer.from(yield take(7));
  const length = head.readUInt32BE(3);
  if (length > MOST_TEXT) throw new RfbError('the text of the clipboard is too long');
  listener.input(whole(6, head, yield take(length)), 'CutText');
}

/** rfbproto, "QEMU Extended Key Event Message" */
function* extendedKey(listener: ViewerListener): Parser {
  const body = yield take(11);
  if (body[0] !== 0) throw new RfbError('the viewer sends a message of QEMU that was not offered');
  listener.input(whole(255, body), 'ExtendedKey');
}

function whole(type: number, ...parts: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.from([type]), ...parts]);
}
