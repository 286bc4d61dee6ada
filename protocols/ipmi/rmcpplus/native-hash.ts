import { hash } from 'node:crypto';
import { type CLibrary, COPY, copyPart, type FixedMemory, integersTo, withCLibrary } from '../../c-library.ts';
import type { CipherSuite } from './cipher-suite.ts';

/** OpenSSL's hashes without EVP, whose state is plain memory: SHA1_Init(3), SHA256_Init(3). */
const FUNCTIONS = {
  SHA1_Init: { parameters: 1 },
  SHA1_Update: { parameters: 3 },
  SHA1_Final: { parameters: 2 },
  SHA256_Init: { parameters: 1 },
  SHA256_Update: { parameters: 3 },
  SHA256_Final: { parameters: 2 },
} as const;

type Functions = CLibrary<typeof FUNCTIONS>['call'];
type HashName = CipherSuite['hash'];

/** Bytes of a result. */
const DIGEST = { sha1: 20, sha256: 32 } as const;
/** Bytes of a state: SHA256_CTX of openssl/sha.h, which is larger than SHA_CTX. */
const STATE = 112;
/** Where the other parts of the memory begin, in bytes. */
const RESULT = 128;
const MESSAGE = RESULT + DIGEST.sha256 + COPY.lead;
const LENGTHS = integersTo(COPY.most);

/**
 * The hashes of the OpenSSL in Node. They can continue from a saved state. OpenSSL reads and writes only memory that is mapped once, so
 * that no length in a packet makes it use other memory.
 */
export class NativeHash {
  readonly #call: Functions;
  readonly #bytes: Buffer;
  readonly #stateBytes: Buffer;
  readonly #state: bigint;
  readonly #result: bigint;
  readonly #message: bigint;
  readonly #results: Readonly<Record<HashName, Buffer>>;

  private constructor(call: Functions, { address, bytes }: FixedMemory) {
    this.#call = call;
    this.#bytes = bytes;
    this.#stateBytes = bytes.subarray(0, STATE);
    this.#state = address;
    this.#result = address + BigInt(RESULT);
    this.#message = address + BigInt(MESSAGE);
    const result = (length: number): Buffer => bytes.subarray(RESULT, RESULT + length);
    this.#results = { sha1: result(DIGEST.sha1), sha256: result(DIGEST.sha256) };
  }

  /** Undefined without {@link withCLibrary}, these functions, or memory, or if a hash is not that of `node:crypto`. */
  static open(): NativeHash | undefined {
    return withCLibrary(FUNCTIONS, ({ call, map }) => {
      const native = new NativeHash(call, map(MESSAGE + COPY.most));
      const half = Buffer.from('GroundCrew');
      for (const name of ['sha1', 'sha256'] as const) {
        const result = native.end(name, native.begin(name, half), half, 0, half.length);
        if (!result.equals(hash(name, Buffer.concat([half, half]), 'buffer'))) throw new Error(`another ${name}`);
      }
      return native;
    });
  }

  /** The state after the beginning of a message. */
  begin(name: HashName, beginning: Buffer): Buffer {
    // Each call site calls only one function: V8 does not compile the call of a function into a site that has called several.
    if (name === 'sha1') this.#call.SHA1_Init(this.#state);
    else this.#call.SHA256_Init(this.#state);
    this.#update(name, beginning, 0, beginning.length);
    const state = Buffer.allocUnsafe(STATE);
    state.set(this.#stateBytes);
    return state;
  }

  /** The hash of a message: its beginning, as a state, and the bytes from `start` to `end`. The next call overwrites it. */
  end(name: HashName, state: Buffer, bytes: Buffer, start: number, end: number): Buffer {
    this.#bytes.set(state);
    this.#update(name, bytes, start, end);
    if (name === 'sha1') this.#call.SHA1_Final(this.#result, this.#state);
    else this.#call.SHA256_Final(this.#result, this.#state);
    return this.#results[name];
  }

  #update(name: HashName, bytes: Buffer, start: number, end: number): void {
    if (end > bytes.length) throw new RangeError(`byte ${end} of ${bytes.length}`);
    for (let from = start; from < end; from += COPY.most) {
      const to = Math.min(end, from + COPY.most);
      copyPart(bytes, from, to, this.#bytes, MESSAGE);
      const length = LENGTHS[to - from] ?? 0n;
      if (name === 'sha1') this.#call.SHA1_Update(this.#state, this.#message, length);
      else this.#call.SHA256_Update(this.#state, this.#message, length);
    }
  }
}
