import { type Cipheriv, createCipheriv, createDecipheriv, type Decipheriv } from 'node:crypto';
import { PacketError } from '../packet-error.ts';

const ALGORITHM = 'aes-128-cbc';
const BLOCK = 16;
/** Without effect: the first output block is the packet's own vector or is discarded. */
const VECTOR_BEFORE = Buffer.alloc(BLOCK);

/** Length of the output of {@link PayloadCipher.encrypt} for a payload of `length` bytes. */
export function encryptedLength(length: number): number {
  return BLOCK + Math.ceil((length + 1) / BLOCK) * BLOCK;
}

/**
 * AES-CBC-128 of IPMI 2.0 §13.29: initialization vector, then the encrypted payload, pad `01 02 03 …` and pad length.
 *
 * Creating a cipher object costs more than the encryption, so one object per direction serves the whole session. In CBC, each block
 * depends only on the ciphertext block before it, so the vector is passed through as an extra first block.
 */
export class PayloadCipher {
  readonly #encryption: Cipheriv;
  readonly #decryption: Decipheriv;

  /** @param key 16 bytes */
  constructor(key: Buffer) {
    this.#encryption = createCipheriv(ALGORITHM, key, VECTOR_BEFORE).setAutoPadding(false);
    this.#decryption = createDecipheriv(ALGORITHM, key, VECTOR_BEFORE).setAutoPadding(false);
  }

  /**
   * Encrypts a payload into `target`, from `start` on.
   *
   * @param nonce 16 unpredictable bytes; encrypted, they are the vector (NIST SP 800-38A appendix C)
   */
  encrypt(payload: Buffer, nonce: Buffer, target: Buffer, start: number): void {
    const payloadStart = start + BLOCK;
    const end = start + encryptedLength(payload.length);
    nonce.copy(target, start);
    payload.copy(target, payloadStart);
    const padStart = payloadStart + payload.length;
    const pad = end - 1 - padStart;
    for (let i = 0; i < pad; i += 1) target[padStart + i] = i + 1;
    target[end - 1] = pad;
    this.#encryption.update(target.subarray(start, end)).copy(target, start);
  }

  /**
   * @param encrypted as received, vector first
   * @returns the payload, in a buffer of its own
   * @throws PacketError `Malformed` if the length is not a multiple of the block size or the pad is wrong
   */
  decrypt(encrypted: Buffer): Buffer {
    if (encrypted.length < 2 * BLOCK || encrypted.length % BLOCK !== 0) {
      throw new PacketError('Malformed', `encrypted payload of ${encrypted.length} bytes`);
    }
    const padded = this.#decryption.update(encrypted);
    const pad = padded.readUInt8(padded.length - 1);
    const end = padded.length - 1 - pad;
    if (pad >= BLOCK || end < BLOCK || !countsUp(padded, end, pad)) {
      throw new PacketError('Malformed', 'confidentiality pad');
    }
    return padded.subarray(BLOCK, end);
  }
}

function countsUp(bytes: Buffer, start: number, length: number): boolean {
  for (let i = 0; i < length; i += 1) if (bytes[start + i] !== i + 1) return false;
  return true;
}
