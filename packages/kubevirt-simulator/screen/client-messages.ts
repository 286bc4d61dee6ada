import { decodeFormat, FORMAT_LENGTH, type PixelFormat } from './pixel-format.ts';
import { RfbError } from './rfb-error.ts';

/** A message of a client (RFC 6143 § 7.1, 7.3 and 7.5). Lengths are pixels. */
export type ClientMessage =
  | { type: 'version'; minor: 3 | 7 | 8 }
  | { type: 'security'; chosen: number }
  | { type: 'init' }
  | { type: 'format'; format: PixelFormat }
  | { type: 'encodings'; encodings: readonly number[] }
  | { type: 'update'; incremental: boolean; x: number; y: number; width: number; height: number }
  /** `number`: the key's number in QEMU's extended key event. */
  | { type: 'key'; isDown: boolean; keysym: number; number?: number };

/** Most entries of SetEncodings; clients know some thirty. */
const MOST_ENCODINGS = 1024;
/** Most bytes of a cut text, as in QEMU; it is dropped. */
const MOST_CUT_TEXT = 1024 * 1024;

type Stage = 'version' | 'security' | 'init' | 'session';

/** Reads the messages of one client out of its bytes. */
export class ClientMessages {
  #stage: Stage = 'version';
  /** Bytes of a message that is not complete. */
  #rest: Buffer = Buffer.alloc(0);
  /** Bytes that are still to be dropped. */
  #dropped = 0;

  /** The messages that these bytes complete. @throws RfbError */
  *read(bytes: Buffer): Generator<ClientMessage> {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    for (;;) {
      const dropped = Math.min(this.#dropped, this.#rest.length);
      this.#dropped -= dropped;
      this.#rest = this.#rest.subarray(dropped);
      const { length, message } = this.#next();
      if (this.#rest.length < length) break;
      this.#rest = this.#rest.subarray(length);
      if (message !== undefined) yield message;
    }
    // Without the messages before it, which share its memory.
    this.#rest = Buffer.from(this.#rest);
  }

  /** The next message and its length; of an incomplete one a length that is longer than what has come. */
  #next(): Read {
    const bytes = this.#rest;
    const [first] = bytes;
    if (first === undefined) return { length: 1 };
    switch (this.#stage) {
      case 'version':
        return this.#version(bytes);
      case 'security':
        this.#stage = 'init';
        return { length: 1, message: { type: 'security', chosen: first } };
      case 'init':
        this.#stage = 'session';
        return { length: 1, message: { type: 'init' } };
      case 'session':
        return this.#message(first, bytes);
    }
  }

  #version(bytes: Buffer): Read {
    const length = 12;
    if (bytes.length < length) return { length };
    const [, minor] = /^RFB 003\.(\d{3})\n$/.exec(bytes.toString('latin1', 0, length)) ?? [];
    if (minor === undefined) throw new RfbError('the client does not begin with a version of RFB 3');
    // Other versions than 3.3 and 3.7 are treated as 3.3 or, if they are later than it, as 3.8 (RFC 6143 § 7.1.1).
    const version = Number(minor) >= 8 ? 8 : Number(minor) === 7 ? 7 : 3;
    this.#stage = version === 3 ? 'init' : 'security';
    return { length, message: { type: 'version', minor: version } };
  }

  #message(type: number, bytes: Buffer): Read {
    const read = MESSAGES[type];
    if (read === undefined) throw new RfbError(`message type ${type} is unknown`);
    if (bytes.length < read.least) return { length: read.least };
    const { length, drop = 0, message } = read.decode(bytes);
    this.#dropped = drop;
    return { length, ...(message === undefined ? {} : { message }) };
  }
}

interface Read {
  length: number;
  message?: ClientMessage;
  /** Bytes after it that are not read. */
  drop?: number;
}

/** By type. `least`: bytes from which `decode` knows the length. */
const MESSAGES: Readonly<Record<number, { least: number; decode: (bytes: Buffer) => Read }>> = {
  0: {
    least: 4 + FORMAT_LENGTH,
    decode: (bytes) => ({
      length: 4 + FORMAT_LENGTH,
      message: { type: 'format', format: decodeFormat(bytes.subarray(4)) },
    }),
  },
  2: { least: 4, decode: decodeEncodings },
  3: {
    least: 10,
    decode: (bytes) => ({
      length: 10,
      message: {
        type: 'update',
        incremental: bytes.readUInt8(1) !== 0,
        x: bytes.readUInt16BE(2),
        y: bytes.readUInt16BE(4),
        width: bytes.readUInt16BE(6),
        height: bytes.readUInt16BE(8),
      },
    }),
  },
  4: {
    least: 8,
    decode: (bytes) => ({
      length: 8,
      message: { type: 'key', isDown: bytes.readUInt8(1) !== 0, keysym: bytes.readUInt32BE(4) },
    }),
  },
  // A pointer, which a text screen does not have.
  5: { least: 6, decode: () => ({ length: 6 }) },
  6: { least: 8, decode: dropCutText },
  255: { least: 12, decode: decodeExtendedKey },
};

function decodeEncodings(bytes: Buffer): Read {
  const count = bytes.readUInt16BE(2);
  if (count > MOST_ENCODINGS) throw new RfbError(`${count} encodings: more than ${MOST_ENCODINGS} are not read`);
  const length = 4 + 4 * count;
  if (bytes.length < length) return { length };
  const encodings = Array.from({ length: count }, (_, index) => bytes.readInt32BE(4 + 4 * index));
  return { length, message: { type: 'encodings', encodings } };
}

/** ClientCutText. A negative length is the extended clipboard, which the server does not offer. */
function dropCutText(bytes: Buffer): Read {
  const length = bytes.readInt32BE(4);
  if (length < 0 || length > MOST_CUT_TEXT) {
    throw new RfbError(`a cut text of ${length} bytes: more than ${MOST_CUT_TEXT} are not read`);
  }
  return { length: 8, drop: length };
}

/** QEMU's extended key event (rfbproto, "QEMU Client Message"): a key with its keysym and its number, a scan code. */
function decodeExtendedKey(bytes: Buffer): Read {
  const subtype = bytes.readUInt8(1);
  if (subtype !== 0) throw new RfbError(`QEMU's message of subtype ${subtype} is not supported`);
  const isDown = bytes.readUInt16BE(2) !== 0;
  return {
    length: 12,
    message: { type: 'key', isDown, keysym: bytes.readUInt32BE(4), number: bytes.readUInt32BE(8) },
  };
}
