import { createCipheriv } from 'node:crypto';
import { type CLibrary, COPY, copyPart, type FixedMemory, integersTo, withCLibrary } from '../../c-library.ts';

/** EVP_EncryptInit(3). EVP_Cipher is EVP_CipherUpdate for whole blocks, without a pad. */
const FUNCTIONS = {
  EVP_aes_128_cbc: { parameters: 0, returns: 'pointer' },
  EVP_CIPHER_CTX_new: { parameters: 0, returns: 'pointer' },
  EVP_CipherInit_ex: { parameters: 6 },
  EVP_Cipher: { parameters: 4 },
} as const;

type Functions = CLibrary<typeof FUNCTIONS>['call'];

/** Bytes of a block, and of a key. */
const BLOCK = 16;
const NULL = 0n;
const DONE = 1;
/** Where the parts of the memory begin, in bytes. The vector is always 0. */
const [KEY, VECTOR, TEXT] = [0, BLOCK, 2 * BLOCK + COPY.lead];
const LENGTHS = integersTo(COPY.most);

/**
 * AES-128-CBC by the OpenSSL in Node, with a key for each call. `node:crypto` makes a buffer for each call and an object for each key,
 * which takes longer than AES. OpenSSL reads and writes only memory that is mapped once, and two contexts of its own that are never
 * given back: no length in a packet makes it use other memory.
 */
export class NativeCbc {
  readonly #call: Functions;
  readonly #bytes: Buffer;
  /** The text, by its number of blocks. */
  readonly #texts: readonly Buffer[];
  readonly #key: bigint;
  readonly #vector: bigint;
  readonly #text: bigint;
  readonly #encryption: bigint;
  readonly #decryption: bigint;

  private constructor(call: Functions, { address, bytes }: FixedMemory) {
    this.#call = call;
    this.#bytes = bytes;
    const lengths = Array.from({ length: COPY.most / BLOCK + 1 }, (_, blocks) => blocks * BLOCK);
    this.#texts = lengths.map((length) => bytes.subarray(TEXT, TEXT + length));
    this.#key = address + BigInt(KEY);
    this.#vector = address + BigInt(VECTOR);
    this.#text = address + BigInt(TEXT);
    this.#encryption = this.#newContext(true);
    this.#decryption = this.#newContext(false);
  }

  /**
   * Undefined without {@link withCLibrary}, these functions, or memory, or if a result is not that of `node:crypto`. Also undefined if
   * Node verifies the arguments of each call: it is then no faster than `node:crypto`.
   */
  static open(): NativeCbc | undefined {
    return withCLibrary(FUNCTIONS, ({ call, isDirect, map }) => {
      if (!isDirect) return undefined;
      const native = new NativeCbc(call, map(TEXT + COPY.most));
      const [key, zeros] = [Buffer.alloc(BLOCK, 1), Buffer.alloc(2 * BLOCK)];
      const text = Buffer.from(zeros);
      native.run(true, key, text, 0, text.length);
      const expected = createCipheriv('aes-128-cbc', key, Buffer.alloc(BLOCK)).update(zeros);
      const isSame = text.equals(expected);
      native.run(false, key, text, 0, text.length);
      if (!isSame || !text.equals(zeros)) throw new Error('another AES-128-CBC');
      return native;
    });
  }

  /**
   * Encrypts or decrypts the bytes from `start` to `end`, with a vector of zeros, into `target`, from `at` on; default: in place.
   *
   * @param key 16 bytes
   * @throws RangeError for other lengths
   */
  run(encrypts: boolean, key: Buffer, bytes: Buffer, start: number, end: number, target = bytes, at = start): void {
    if ((end - start) % BLOCK !== 0 || end > bytes.length) {
      throw new RangeError(`bytes ${start} to ${end} of ${bytes.length} are not whole blocks`);
    }
    const context = encrypts ? this.#encryption : this.#decryption;
    this.#begin(context, NULL, key, encrypts);
    for (let from = start; from < end; from += COPY.most) {
      const to = Math.min(end, from + COPY.most);
      copyPart(bytes, from, to, this.#bytes, TEXT);
      const done = this.#call.EVP_Cipher(context, this.#text, this.#text, LENGTHS[to - from] ?? 0n);
      const text = this.#texts[done / BLOCK];
      if (done !== to - from || text === undefined) throw new Error('OpenSSL refuses to go on with AES-128-CBC');
      target.set(text, at + from - start);
    }
  }

  #newContext(encrypts: boolean): bigint {
    const context = this.#call.EVP_CIPHER_CTX_new();
    if (context === NULL) throw new Error('OpenSSL has no memory');
    this.#begin(context, this.#call.EVP_aes_128_cbc(), Buffer.alloc(BLOCK), encrypts);
    return context;
  }

  /** @param cipher 0: the same as before */
  #begin(context: bigint, cipher: bigint, key: Buffer, encrypts: boolean): void {
    if (key.length !== BLOCK) throw new RangeError(`an AES-128 key of ${key.length} bytes`);
    this.#bytes.set(key, KEY);
    const result = this.#call.EVP_CipherInit_ex(context, cipher, NULL, this.#key, this.#vector, encrypts ? 1n : 0n);
    if (result !== DONE) throw new Error('OpenSSL refuses AES-128-CBC');
  }
}
