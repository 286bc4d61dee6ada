import { createCipheriv, createDecipheriv } from 'node:crypto';
import { PacketError } from '../packet-error.ts';
import { NativeCbc } from './native-cbc.ts';

const BLOCK = 16;

/** Length of the output of {@link PayloadCipher.encrypt} for a payload of `length` bytes. */
export function encryptedLength(length: number): number {
  return BLOCK + Math.ceil((length + 1) / BLOCK) * BLOCK;
}

const NATIVE = NativeCbc.open();
/** Whether AES is called without `node:crypto`. */
export const isAesNative = NATIVE !== undefined;

/**
 * Encrypts or decrypts the whole blocks from `start` to `end` into `target`, from `at` on. The initialization vector is not specified: it
 * affects only the first block.
 */
type Cbc = (encrypts: boolean, bytes: Buffer, start: number, end: number, target: Buffer, at: number) => void;

/**
 * AES-CBC-128 of IPMI 2.0 §13.29: initialization vector, then the encrypted payload, pad `01 02 03 …` and pad length.
 *
 * In CBC, each block depends only on the ciphertext block before it, so the vector is passed through as an extra first block.
 */
export class PayloadCipher {
  readonly #run: Cbc;

  /** @param key 16 bytes */
  constructor(key: Buffer, native: NativeCbc | 'none' = NATIVE ?? 'none') {
    this.#run =
      native === 'none'
        ? cbcOfNode(key)
        : (encrypts, ...text) => {
            native.run(encrypts, key, ...text);
          };
  }

  /**
   * Encrypts a payload into `target`, from `start` on.
   *
   * @param nonce 16 unpredictable bytes, never the same twice: encrypted, they are the vector (NIST SP 800-38A appendix C)
   */
  encrypt(payload: Buffer, nonce: Buffer, target: Buffer, start: number): void {
    const payloadStart = start + BLOCK;
    const end = start + encryptedLength(payload.length);
    target.set(nonce, start);
    target.set(payload, payloadStart);
    const padStart = payloadStart + payload.length;
    const pad = end - 1 - padStart;
    for (let i = 0; i < pad; i += 1) target[padStart + i] = i + 1;
    target[end - 1] = pad;
    this.#run(true, target, start, end, target, start);
  }

  /**
   * Decrypts the bytes from `start` to `end`, as received, vector first.
   *
   * @returns the payload, a part of Node's pool of buffers: a caller that keeps it copies it
   * @throws PacketError `Malformed` if the length is not a multiple of the block size or the pad is wrong
   */
  decrypt(bytes: Buffer, start = 0, end = bytes.length): Buffer {
    const length = end - start;
    if (length < 2 * BLOCK || length % BLOCK !== 0) {
      throw new PacketError('Malformed', `encrypted payload of ${length} bytes`);
    }
    const padded = Buffer.allocUnsafe(length);
    this.#run(false, bytes, start, end, padded, 0);
    const pad = padded.readUInt8(length - 1);
    const payloadEnd = length - 1 - pad;
    if (pad >= BLOCK || payloadEnd < BLOCK || !countsUp(padded, payloadEnd, pad)) {
      throw new PacketError('Malformed', 'confidentiality pad');
    }
    return padded.subarray(BLOCK, payloadEnd);
  }
}

/** Creating a cipher object costs more than the encryption, so one object for each direction serves the whole session. */
function cbcOfNode(key: Buffer): Cbc {
  const zeros = Buffer.alloc(BLOCK);
  const encryption = createCipheriv('aes-128-cbc', key, zeros).setAutoPadding(false);
  const decryption = createDecipheriv('aes-128-cbc', key, zeros).setAutoPadding(false);
  return (encrypts, bytes, start, end, target, at) => {
    target.set((encrypts ? encryption : decryption).update(bytes.subarray(start, end)), at);
  };
}

function countsUp(bytes: Buffer, start: number, length: number): boolean {
  for (let i = 0; i < length; i += 1) if (bytes[start + i] !== i + 1) return false;
  return true;
}
