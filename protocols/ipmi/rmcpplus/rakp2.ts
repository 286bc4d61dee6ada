import { requireBytes } from '../packet-error.ts';
import { type ConsoleSessionId, consoleSessionId } from './session-id.ts';

/** RAKP Message 2, IPMI 2.0 §13.21: the BMC's random number, GUID and authentication code. */
export interface Rakp2 {
  tag: number;
  consoleId: ConsoleSessionId;
  /** 16 bytes each. */
  managedRandom: Buffer;
  guid: Buffer;
  authCode: Buffer;
}

const AUTH_CODE_OFFSET = 40;

export function encodeRakp2(message: Rakp2): Buffer {
  const payload = Buffer.alloc(AUTH_CODE_OFFSET + message.authCode.length);
  payload.writeUInt8(message.tag, 0);
  payload.writeUInt32LE(message.consoleId, 4);
  message.managedRandom.copy(payload, 8);
  message.guid.copy(payload, 24);
  message.authCode.copy(payload, AUTH_CODE_OFFSET);
  return payload;
}

/** @throws PacketError `Malformed` */
export function decodeRakp2(payload: Buffer): Rakp2 {
  requireBytes(payload, AUTH_CODE_OFFSET, 'RAKP Message 2');
  return {
    tag: payload.readUInt8(0),
    consoleId: consoleSessionId(payload.readUInt32LE(4)),
    managedRandom: payload.subarray(8, 24),
    guid: payload.subarray(24, AUTH_CODE_OFFSET),
    authCode: payload.subarray(AUTH_CODE_OFFSET),
  };
}
