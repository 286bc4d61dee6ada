import { hash } from 'node:crypto';
import type { CipherSuite } from './cipher-suite.ts';

/** Block length of SHA-1 and SHA-256 in bytes. */
const BLOCK = 64;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;

/** Space for the message of the inner hash, one for all: it is only used within {@link Hmac.code}. Packets hardly have more. */
const scratch = Buffer.alloc(1_024);
/** Views of its first bytes, by length: each is made once. */
const beginnings: Buffer[] = [];

/**
 * HMAC (RFC 2104) with one key. Two one-shot hashes take a third of the time of `createHmac`, which makes two objects that the garbage
 * collector must finalize.
 */
export class Hmac {
  readonly #hash: CipherSuite['hash'];
  /** The key, padded with zeros to a block and combined with the inner pad. */
  readonly #innerKey = Buffer.allocUnsafe(BLOCK);
  /** The same with the outer pad, and space for the inner hash. */
  readonly #outerMessage: Buffer;

  /** @param key at most 64 bytes */
  constructor({ hash: name, digestLength }: CipherSuite, key: Buffer) {
    if (key.length > BLOCK) throw new RangeError(`an HMAC key of ${key.length} bytes`);
    this.#hash = name;
    this.#outerMessage = Buffer.allocUnsafe(BLOCK + digestLength);
    for (let i = 0; i < BLOCK; i += 1) {
      const byte = key[i] ?? 0;
      this.#innerKey[i] = byte ^ INNER_PAD;
      this.#outerMessage[i] = byte ^ OUTER_PAD;
    }
  }

  /** The code of the bytes from `start` to `end`, one character per byte: a string costs less than a Buffer. */
  code(bytes: Buffer, start = 0, end = bytes.length): string {
    const length = BLOCK + end - start;
    const message =
      length <= scratch.length ? (beginnings[length] ??= scratch.subarray(0, length)) : Buffer.allocUnsafe(length);
    this.#innerKey.copy(message);
    bytes.copy(message, BLOCK, start, end);
    this.#outerMessage.write(hash(this.#hash, message, 'latin1'), BLOCK, 'latin1');
    return hash(this.#hash, this.#outerMessage, 'latin1');
  }
}
