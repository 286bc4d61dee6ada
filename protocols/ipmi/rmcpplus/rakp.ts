import { requireBytes } from '../packet-error.ts';
import { type ConsoleSessionId, consoleSessionId, type ManagedSessionId, managedSessionId } from './session-id.ts';

/** RAKP Message 1, IPMI 2.0 §13.20: the user name and the client's random number. */
export interface Rakp1 {
  tag: number;
  managedId: ManagedSessionId;
  /** 16 bytes. */
  consoleRandom: Buffer;
  /** Bits 3:0: requested privilege level, bit 4: name-only lookup; kept unchanged for the HMACs. */
  role: number;
  /** Length in the message; a name over 16 bytes is not read. */
  nameLength: number;
  username: Buffer;
}

/** Maximum length of a user name in RAKP, in bytes. */
export const MAX_USERNAME_BYTES = 16;

const NAME_OFFSET = 28;

/**
 * @throws PacketError `Malformed`. A name length over 16 is not malformed: it is answered with a status and never used to read
 * (another BMC's daemon crashes on a length ≥ 228)
 */
export function decodeRakp1(payload: Buffer): Rakp1 {
  requireBytes(payload, NAME_OFFSET, 'RAKP Message 1');
  const nameLength = payload.readUInt8(27);
  const readable = nameLength > MAX_USERNAME_BYTES ? 0 : nameLength;
  requireBytes(payload, NAME_OFFSET + readable, 'user name of RAKP Message 1');
  return {
    tag: payload.readUInt8(0),
    managedId: managedSessionId(payload.readUInt32LE(4)),
    consoleRandom: payload.subarray(8, 24),
    role: payload.readUInt8(24),
    nameLength,
    username: payload.subarray(NAME_OFFSET, NAME_OFFSET + readable),
  };
}

export function encodeRakp1(message: Omit<Rakp1, 'nameLength'>): Buffer {
  const payload = Buffer.alloc(NAME_OFFSET + message.username.length);
  payload.writeUInt8(message.tag, 0);
  payload.writeUInt32LE(message.managedId, 4);
  payload.set(message.consoleRandom, 8);
  payload.writeUInt8(message.role, 24);
  payload.writeUInt8(message.username.length, 27);
  payload.set(message.username, NAME_OFFSET);
  return payload;
}

/** RAKP Message 2, IPMI 2.0 §13.21: the BMC's random number, GUID and authentication code. */
export interface Rakp2 {
  tag: number;
  consoleId: ConsoleSessionId;
  /** 16 bytes each. */
  managedRandom: Buffer;
  guid: Buffer;
  authCode: Buffer;
}

const RAKP2_AUTH_CODE_OFFSET = 40;

export function encodeRakp2(message: Rakp2): Buffer {
  const payload = Buffer.alloc(RAKP2_AUTH_CODE_OFFSET + message.authCode.length);
  payload.writeUInt8(message.tag, 0);
  payload.writeUInt32LE(message.consoleId, 4);
  payload.set(message.managedRandom, 8);
  payload.set(message.guid, 24);
  payload.set(message.authCode, RAKP2_AUTH_CODE_OFFSET);
  return payload;
}

/** @throws PacketError `Malformed` */
export function decodeRakp2(payload: Buffer): Rakp2 {
  requireBytes(payload, RAKP2_AUTH_CODE_OFFSET, 'RAKP Message 2');
  return {
    tag: payload.readUInt8(0),
    consoleId: consoleSessionId(payload.readUInt32LE(4)),
    managedRandom: payload.subarray(8, 24),
    guid: payload.subarray(24, RAKP2_AUTH_CODE_OFFSET),
    authCode: payload.subarray(RAKP2_AUTH_CODE_OFFSET),
  };
}

/** RAKP Message 3, IPMI 2.0 §13.22: the client's authentication code, or its reason to stop. */
export interface Rakp3 {
  tag: number;
  /** Not 0 if the client rejected RAKP 2: its password differs, and the handshake ends. */
  status: number;
  managedId: ManagedSessionId;
  authCode: Buffer;
}

const RAKP3_AUTH_CODE_OFFSET = 8;

/** @throws PacketError `Malformed` */
export function decodeRakp3(payload: Buffer): Rakp3 {
  requireBytes(payload, RAKP3_AUTH_CODE_OFFSET, 'RAKP Message 3');
  return {
    tag: payload.readUInt8(0),
    status: payload.readUInt8(1),
    managedId: managedSessionId(payload.readUInt32LE(4)),
    authCode: payload.subarray(RAKP3_AUTH_CODE_OFFSET),
  };
}

export function encodeRakp3(message: Rakp3): Buffer {
  const payload = Buffer.alloc(RAKP3_AUTH_CODE_OFFSET + message.authCode.length);
  payload.writeUInt8(message.tag, 0);
  payload.writeUInt8(message.status, 1);
  payload.writeUInt32LE(message.managedId, 4);
  payload.set(message.authCode, RAKP3_AUTH_CODE_OFFSET);
  return payload;
}

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
  payload.set(message.integrityCheck, INTEGRITY_CHECK_OFFSET);
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
