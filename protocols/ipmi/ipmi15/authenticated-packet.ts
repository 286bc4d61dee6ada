import { hash } from 'node:crypto';
import { PacketError, requireBytes } from '../packet-error.ts';
import { RMCP_CLASS, RMCP_HEADER_LENGTH, writeRmcpHeader } from '../rmcp.ts';
import { isEqual } from '../session/account.ts';

/** The only authentication type supported for IPMI 1.5 sessions, IPMI 2.0 §13.6. */
export const AUTH_TYPE_MD5 = 0x02;

const AUTH_CODE_LENGTH = 16;
/** IPMI 1.5 passwords have 16 bytes; shorter ones are padded with zeros. */
export const MAX_PASSWORD_BYTES_15 = 16;

const SEQUENCE = RMCP_HEADER_LENGTH + 1;
const SESSION_ID = RMCP_HEADER_LENGTH + 5;
const AUTH_CODE = RMCP_HEADER_LENGTH + 9;
const LENGTH = AUTH_CODE + AUTH_CODE_LENGTH;
const PAYLOAD = LENGTH + 1;
/** The length field has one byte. */
export const MAX_PAYLOAD_15 = 255;

/** A packet of an IPMI 1.5 session; its authentication code is not verified yet. */
export interface AuthenticatedPacket {
  readonly sessionId: number;
  readonly sequence: number;
  readonly authCode: Buffer;
  /** The IPMI message, not encrypted. */
  readonly payload: Buffer;
}

/** @throws PacketError `Malformed`; `Unauthenticated` for authentication types other than MD5 */
export function decodeAuthenticatedPacket(datagram: Buffer): AuthenticatedPacket {
  requireBytes(datagram, PAYLOAD, 'IPMI 1.5 session header');
  const type = datagram.readUInt8(RMCP_HEADER_LENGTH);
  if (type !== AUTH_TYPE_MD5) throw new PacketError('Unauthenticated', `authentication type ${type} in a session`);
  const length = datagram.readUInt8(LENGTH);
  requireBytes(datagram, PAYLOAD + length, 'IPMI 1.5 payload');
  return {
    sessionId: datagram.readUInt32LE(SESSION_ID),
    sequence: datagram.readUInt32LE(SEQUENCE),
    authCode: datagram.subarray(AUTH_CODE, LENGTH),
    payload: datagram.subarray(PAYLOAD, PAYLOAD + length),
  };
}

/**
 * Encodes the datagram of an IPMI message in a session.
 *
 * @throws PacketError `Unsupported` for a message over 255 bytes, which the length field cannot represent
 */
export function encodeAuthenticatedPacket(
  password: Buffer,
  { sessionId, sequence, payload }: Omit<AuthenticatedPacket, 'authCode'>,
): Buffer {
  if (payload.length > MAX_PAYLOAD_15) {
    throw new PacketError('Unsupported', `a message of ${payload.length} bytes is too long for IPMI 1.5`);
  }
  const datagram = Buffer.alloc(PAYLOAD + payload.length);
  writeRmcpHeader(datagram, RMCP_CLASS.ipmi);
  datagram.writeUInt8(AUTH_TYPE_MD5, RMCP_HEADER_LENGTH);
  datagram.writeUInt32LE(sequence, SEQUENCE);
  datagram.writeUInt32LE(sessionId, SESSION_ID);
  authCodeOf(password, { sessionId, sequence, payload }).copy(datagram, AUTH_CODE);
  datagram.writeUInt8(payload.length, LENGTH);
  payload.copy(datagram, PAYLOAD);
  return datagram;
}

/** Whether the sender knows the password; compares in constant time. */
export function isGenuine(password: Buffer, packet: AuthenticatedPacket): boolean {
  return isEqual(authCodeOf(password, packet), packet.authCode);
}

/** MD5 over password, session ID, message, sequence number and password again, IPMI 2.0 §22.17.1. */
function authCodeOf(password: Buffer, packet: Omit<AuthenticatedPacket, 'authCode'>): Buffer {
  const key = Buffer.alloc(MAX_PASSWORD_BYTES_15);
  password.copy(key);
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32LE(packet.sessionId, 0);
  numbers.writeUInt32LE(packet.sequence, 4);
  const parts = [key, numbers.subarray(0, 4), packet.payload, numbers.subarray(4), key];
  return hash('md5', Buffer.concat(parts), 'buffer');
}
