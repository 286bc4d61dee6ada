import { createHash } from 'node:crypto';
import { type BlockHash, wordAt } from './block-hash.ts';

const BLOCK = 64;
const BLOCK_WORDS = 16;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;
const END_OF_MESSAGE = 0x80;
/** Offset of the message length at the end of the last block. */
const LENGTH_OFFSET = 56;

/**
 * HMAC (RFC 2104) with one key for many short messages. The key is hashed once; each code then takes the message's blocks plus one
 * and creates no object. IPMI packets have one or two blocks; for these, node:crypto spends most of the time on creating its HMAC object.
 */
export class KeyedHmac {
  readonly #hash: BlockHash;
  /** Inner and outer hash state after the key block. */
  readonly #inner: Int32Array;
  readonly #outer: Int32Array;
  readonly #state: Int32Array;
  readonly #words: Int32Array;
  /** Buffer for the last block of a message, and for the code. */
  readonly #tail = Buffer.alloc(BLOCK);
  readonly #code: Buffer;

  constructor(hash: BlockHash, key: Buffer) {
    this.#hash = hash;
    this.#words = new Int32Array(hash.scheduleLength);
    this.#state = Int32Array.from(hash.initial);
    const block = Buffer.alloc(BLOCK);
    (key.length > BLOCK ? createHash(hash.name).update(key).digest() : key).copy(block);
    this.#inner = this.#keyed(block, INNER_PAD);
    this.#outer = this.#keyed(block, OUTER_PAD);
    this.#code = Buffer.alloc(4 * this.#state.length);
    block.fill(0);
  }

  /**
   * The code of the bytes from `start` to `end`.
   *
   * @returns a buffer that the next call overwrites
   */
  code(data: Buffer, start: number, end: number): Buffer {
    const state = this.#state;
    state.set(this.#inner);
    let at = start;
    for (; at + BLOCK <= end; at += BLOCK) this.#take(data, at);
    this.#finish(data, at, end, end - start);
    this.#writeCode();
    state.set(this.#outer);
    this.#finish(this.#code, 0, this.#code.length, this.#code.length);
    this.#writeCode();
    return this.#code;
  }

  #keyed(key: Buffer, pad: number): Int32Array {
    this.#state.set(this.#hash.initial);
    this.#take(Buffer.from(key.map((byte) => byte ^ pad)), 0);
    return this.#state.slice();
  }

  /** Processes the rest of a message and its padding: a 1 bit, zeros, and the length in bits including the key block. */
  #finish(data: Buffer, start: number, end: number, length: number): void {
    const tail = this.#tail;
    tail.fill(0);
    data.copy(tail, 0, start, end);
    tail[end - start] = END_OF_MESSAGE;
    if (end - start >= LENGTH_OFFSET) {
      this.#take(tail, 0);
      tail.fill(0);
    }
    tail.writeUInt32BE((BLOCK + length) * 8, BLOCK - 4);
    this.#take(tail, 0);
  }

  #take(data: Buffer, start: number): void {
    const words = this.#words;
    for (let i = 0; i < BLOCK_WORDS; i += 1) words[i] = data.readInt32BE(start + 4 * i);
    this.#hash.compress(this.#state, words);
  }

  #writeCode(): void {
    for (let i = 0; i < this.#state.length; i += 1) this.#code.writeInt32BE(wordAt(this.#state, i), 4 * i);
  }
}
