import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto';
import { PacketError } from '../packet-error.ts';

const ALGORITHM = 'aes-128-cbc';
const BLOCK = 16;

/** Bytes that {@link encryptPayload} makes of a payload of `length` bytes. */
export function encryptedLength(length: number): number {
  return BLOCK + Math.ceil((length + 1) / BLOCK) * BLOCK;
}

/**
 * AES-CBC-128 as IPMI 2.0 §13.29 has it: initialization vector, then payload, pad `01 02 03 …` and pad length, encrypted.
 *
 * @param initializationVector 16 unpredictable bytes
 */
export function encryptPayload(key: KeyObject, initializationVector: Buffer, payload: Buffer): Buffer {
  const padded = Buffer.alloc(encryptedLength(payload.length) - BLOCK);
  payload.copy(padded);
  const pad = padded.length - payload.length - 1;
  for (let i = 1; i <= pad; i += 1) padded.writeUInt8(i, payload.length + i - 1);
  padded.writeUInt8(pad, padded.length - 1);
  const cipher = createCipheriv(ALGORITHM, key, initializationVector).setAutoPadding(false);
  return Buffer.concat([initializationVector, cipher.update(padded), cipher.final()]);
}

/** @throws PacketError `Malformed` for a length that is no multiple of the block and for a wrong pad */
export function decryptPayload(key: KeyObject, encrypted: Buffer): Buffer {
  if (encrypted.length < 2 * BLOCK || encrypted.length % BLOCK !== 0) {
    throw new PacketError('Malformed', `encrypted payload of ${encrypted.length} bytes`);
  }
  const decipher = createDecipheriv(ALGORITHM, key, encrypted.subarray(0, BLOCK)).setAutoPadding(false);
  const padded = Buffer.concat([decipher.update(encrypted.subarray(BLOCK)), decipher.final()]);
  const pad = padded.readUInt8(padded.length - 1);
  const end = padded.length - 1 - pad;
  if (pad >= BLOCK || end < 0 || !padded.subarray(end, -1).every((byte, index) => byte === index + 1)) {
    throw new PacketError('Malformed', 'confidentiality pad');
  }
  return padded.subarray(0, end);
}
