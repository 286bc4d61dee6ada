import { type Cipheriv, createCipheriv, createDecipheriv, createSecretKey, type Decipheriv } from 'node:crypto';
import { PacketError } from '../packet-error.ts';

const ALGORITHM = 'aes-128-cbc';
const BLOCK = 16;

/** Bytes that {@link PayloadCipher.encrypt} makes of a payload of `length` bytes. */
export function encryptedLength(length: number): number {
  return BLOCK + Math.ceil((length + 1) / BLOCK) * BLOCK;
}

/**
 * AES-CBC-128 as IPMI 2.0 §13.29 has it: initialization vector, then payload, pad `01 02 03 …` and pad length, encrypted.
 *
 * A cipher object costs more than what it encrypts, so that one of each direction serves the whole session. CBC chains each
 * block to the one before, and nothing but that block: the vector goes through as a block in front.
 */
export class PayloadCipher {
  readonly #encryption: Cipheriv;
  readonly #decryption: Decipheriv;

  /** @param key 16 bytes */
  constructor(key: Buffer) {
    // Of no effect: what comes out first each time is the vector, of which it becomes a part, or is thrown away.
    const before = Buffer.alloc(BLOCK);
    const secret = createSecretKey(key);
    this.#encryption = createCipheriv(ALGORITHM, secret, before).setAutoPadding(false);
    this.#decryption = createDecipheriv(ALGORITHM, secret, before).setAutoPadding(false);
  }

  /**
   * Encrypts a payload into `target`, from `start` on.
   *
   * @param nonce 16 unpredictable bytes; encrypted they are the vector, as NIST SP 800-38A appendix C has it
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
   * @param encrypted as it arrived, vector first
   * @returns the payload, in a buffer of its own
   * @throws PacketError `Malformed` for a length that is no multiple of the block and for a wrong pad
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
