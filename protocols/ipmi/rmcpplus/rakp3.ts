import { requireBytes } from '../packet-error.ts';
import { type ManagedSessionId, managedSessionId } from './session-id.ts';

/** RAKP Message 3, IPMI 2.0 §13.22: the client's authentication code, or its reason to stop. */
export interface Rakp3 {
  tag: number;
  /** Not 0 if the client rejected RAKP 2: its password differs, and the handshake ends. */
  status: number;
  managedId: ManagedSessionId;
  authCode: Buffer;
}

const AUTH_CODE_OFFSET = 8;

/** @throws PacketError `Malformed` */
export function decodeRakp3(payload: Buffer): Rakp3 {
  requireBytes(payload, AUTH_CODE_OFFSET, 'RAKP Message 3');
  return {
    tag: payload.readUInt8(0),
    status: payload.readUInt8(1),
    managedId: managedSessionId(payload.readUInt32LE(4)),
    authCode: payload.subarray(AUTH_CODE_OFFSET),
  };
}

export function encodeRakp3(message: Rakp3): Buffer {
  const payload = Buffer.alloc(AUTH_CODE_OFFSET + message.authCode.length);
  payload.writeUInt8(message.tag, 0);
  payload.writeUInt8(message.status, 1);
  payload.writeUInt32LE(message.managedId, 4);
  message.authCode.copy(payload, AUTH_CODE_OFFSET);
  return payload;
}
