import { hash } from 'node:crypto';
import type { CipherSuite } from './cipher-suite.ts';
import { NativeHash } from './native-hash.ts';

/** Block length of SHA-1 and SHA-256 in bytes. */
const BLOCK = 64;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;

const NATIVE = NativeHash.open();
/** Whether hashes are called without `node:crypto`. */
export const isHmacNative = NATIVE !== undefined;

/** Space for a padded key, one for all: it is only used within the constructor. */
const padded = Buffer.allocUnsafeSlow(BLOCK);

/**
 * HMAC (RFC 2104) with one key, from the states of both hashes after the key. Without native functions, two one-shot hashes take a third
 * of the time of `createHmac`, which makes two objects that the garbage collector must finalize.
 */
export class Hmac {
  readonly #hash: CipherSuite['hash'];
  readonly #native: NativeHash | undefined;
  /** The key, padded with zeros to a block and combined with the inner pad; or the state after it. */
  readonly #inner: Buffer;
  /** The same with the outer pad. */
  readonly #outer: Buffer;

  /** @param key at most 64 bytes */
  constructor({ hash: name }: CipherSuite, key: Buffer, native: NativeHash | 'none' = NATIVE ?? 'none') {
    if (key.length > BLOCK) throw new RangeError(`an HMAC key of ${key.length} bytes`);
    this.#hash = name;
    this.#native = native === 'none' ? undefined : native;
    this.#inner = this.#begin(key, INNER_PAD);
    this.#outer = this.#begin(key, OUTER_PAD);
  }

  /** The code of the bytes from `start` to `end`. The next code, of any key, overwrites it. */
  code(bytes: Buffer, start = 0, end = bytes.length): Buffer {
    const native = this.#native;
    if (native === undefined) {
      const inner = hash(this.#hash, Buffer.concat([this.#inner, bytes.subarray(start, end)]), 'buffer');
      return hash(this.#hash, Buffer.concat([this.#outer, inner]), 'buffer');
    }
    const inner = native.end(this.#hash, this.#inner, bytes, start, end);
    return native.end(this.#hash, this.#outer, inner, 0, inner.length);
  }

  #begin(key: Buffer, pad: number): Buffer {
    for (let i = 0; i < BLOCK; i += 1) padded[i] = (key[i] ?? 0) ^ pad;
    const begun = this.#native?.begin(this.#hash, padded) ?? Buffer.from(padded);
    padded.fill(0);
    return begun;
  }
}
