import { PacketError, requireBytes } from '../packet-error.ts';
import { RMCP_CLASS, RMCP_HEADER_LENGTH, writeRmcpHeader } from '../rmcp.ts';

/** Authentication type of a message that carries no authentication code, IPMI 2.0 §13.6. */
export const AUTH_TYPE_NONE = 0x00;

/** Authentication type, sequence number, session ID, length; no authentication code follows for type none. */
const SESSION_HEADER_LENGTH = 10;

/** @throws PacketError `Malformed` */
export function authTypeOf15(datagram: Buffer): number {
  requireBytes(datagram, RMCP_HEADER_LENGTH + SESSION_HEADER_LENGTH, 'IPMI 1.5 session header');
  return datagram.readUInt8(RMCP_HEADER_LENGTH);
}

/** Session ID of a packet whose authentication type has been read. */
export function sessionIdOf15(datagram: Buffer): number {
  return datagram.readUInt32LE(RMCP_HEADER_LENGTH + 5);
}

/**
 * Returns the IPMI message of an IPMI 1.5 packet outside of a session (IPMI 2.0 §13.6). Clients use this format to read the
 * authentication capabilities before they know that IPMI 2.0 is supported.
 *
 * @throws PacketError `Malformed`; `Unsupported` for a packet with authentication or within a session
 */
export function decodeSessionlessPacket15(datagram: Buffer): Buffer {
  const start = RMCP_HEADER_LENGTH;
  requireBytes(datagram, start + SESSION_HEADER_LENGTH, 'IPMI 1.5 session header');
  if (datagram.readUInt8(start) !== AUTH_TYPE_NONE) {
    throw new PacketError('Unsupported', 'IPMI 1.5 packet with authentication');
  }
  if (datagram.readUInt32LE(start + 5) !== 0) throw new PacketError('Unsupported', 'IPMI 1.5 session');
  const length = datagram.readUInt8(start + 9);
  const payload = start + SESSION_HEADER_LENGTH;
  requireBytes(datagram, payload + length, 'IPMI 1.5 payload');
  return datagram.subarray(payload, payload + length);
}

/** Wraps an IPMI message of at most 255 bytes in a packet outside of a session. */
export function encodeSessionlessPacket15(message: Buffer): Buffer {
  const payload = RMCP_HEADER_LENGTH + SESSION_HEADER_LENGTH;
  const datagram = Buffer.alloc(payload + message.length);
  writeRmcpHeader(datagram, RMCP_CLASS.ipmi);
  datagram.writeUInt8(message.length, payload - 1);
  datagram.set(message, payload);
  return datagram;
}
