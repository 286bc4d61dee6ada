import { requireBytes } from '../packet-error.ts';
import { type ConsoleSessionId, consoleSessionId } from './session-id.ts';

/** RAKP Message 4, IPMI 2.0 §13.23: the session is active. */
export interface Rakp4 {
  tag: number;
  consoleId: ConsoleSessionId;
  /** 12 bytes with suite 3, 16 with suite 17. */
  integrityCheck: Buffer;
}

const INTEGRITY_CHECK_OFFSET = 8;

export function encodeRakp4(message: Rakp4): Buffer {
  const payload = Buffer.alloc(INTEGRITY_CHECK_OFFSET + message.integrityCheck.length);
  payload.writeUInt8(message.tag, 0);
  payload.writeUInt32LE(message.consoleId, 4);
  message.integrityCheck.copy(payload, INTEGRITY_CHECK_OFFSET);
  return payload;
}

/** @throws PacketError `Malformed` */
export function decodeRakp4(payload: Buffer): Rakp4 {
  requireBytes(payload, INTEGRITY_CHECK_OFFSET, 'RAKP Message 4');
  return {
    tag: payload.readUInt8(0),
    consoleId: consoleSessionId(payload.readUInt32LE(4)),
    integrityCheck: payload.subarray(INTEGRITY_CHECK_OFFSET),
  };
}
