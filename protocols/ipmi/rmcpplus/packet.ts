import { PacketError, requireBytes } from '../packet-error.ts';
import { RMCP_CLASS, RMCP_HEADER_LENGTH, writeRmcpHeader } from '../rmcp.ts';

/** Payload types of RMCP+, IPMI 2.0 table 13-16. */
export const PAYLOAD_TYPE = {
  ipmi: 0x00,
  sol: 0x01,
  oem: 0x02,
  openSessionRequest: 0x10,
  openSessionResponse: 0x11,
  rakp1: 0x12,
  rakp2: 0x13,
  rakp3: 0x14,
  rakp4: 0x15,
} as const;

/** Authentication type of the RMCP+ session header, IPMI 2.0 §13.6. */
export const AUTH_TYPE_RMCPPLUS = 0x06;

/** Offset of the payload: RMCP header, then authentication type, payload type, ID, sequence, length. */
export const PAYLOAD_OFFSET = RMCP_HEADER_LENGTH + 12;

/** Bits 7 and 6 of the payload type: encrypted, authenticated. This BMC always uses both. */
const SECURED = 0xc0;
const TYPE_MASK = 0x3f;

/** An RMCP+ packet outside of a session. */
export interface SessionlessPacket {
  readonly payloadType: number;
  /** A view of the datagram. */
  readonly payload: Buffer;
}

/** The receiver's session ID; 0 outside of a session. @throws PacketError `Malformed` */
export function sessionIdOf(datagram: Buffer): number {
  requireBytes(datagram, PAYLOAD_OFFSET, 'RMCP+ session header');
  return datagram.readUInt32LE(6);
}

/** Payload type of a datagram that has a session header. */
export function payloadTypeOf(datagram: Buffer): number {
  return datagram.readUInt8(5) & TYPE_MASK;
}

/** Session sequence number of a datagram that has a session header. */
export function sequenceOf(datagram: Buffer): number {
  return datagram.readUInt32LE(10);
}

/** Payload length in the session header, including confidentiality header and trailer. */
export function payloadLengthOf(datagram: Buffer): number {
  return datagram.readUInt16LE(14);
}

/** Whether a datagram with a session header is RMCP+, encrypted, signed and not an OEM payload, whose header is longer. */
export function isSecuredPacket(datagram: Buffer): boolean {
  const type = datagram.readUInt8(5);
  return (
    datagram.readUInt8(4) === AUTH_TYPE_RMCPPLUS &&
    (type & SECURED) === SECURED &&
    type !== (SECURED | PAYLOAD_TYPE.oem)
  );
}

/** @throws PacketError `Malformed`; `UnknownSession` for a secured packet; `Unsupported` for OEM payloads */
export function decodeSessionlessPacket(datagram: Buffer): SessionlessPacket {
  requireBytes(datagram, PAYLOAD_OFFSET, 'RMCP+ session header');
  const payloadType = payloadTypeOf(datagram);
  if (payloadType === PAYLOAD_TYPE.oem) throw new PacketError('Unsupported', 'OEM payload');
  if ((datagram.readUInt8(5) & SECURED) !== 0) {
    throw new PacketError('UnknownSession', 'secured packet outside of a session');
  }
  const end = PAYLOAD_OFFSET + payloadLengthOf(datagram);
  requireBytes(datagram, end, 'RMCP+ payload');
  return { payloadType, payload: datagram.subarray(PAYLOAD_OFFSET, end) };
}

/** Wraps a payload outside of a session: not encrypted or signed, session ID and sequence number 0. */
export function encodeSessionlessPacket(payloadType: number, payload: Buffer): Buffer {
  const datagram = Buffer.allocUnsafe(PAYLOAD_OFFSET + payload.length);
  writePacketHeader(datagram, payloadType, false, 0, 0, payload.length);
  datagram.set(payload, PAYLOAD_OFFSET);
  return datagram;
}

/**
 * Writes RMCP and session header at the start of `datagram`.
 *
 * @param secured encrypted and signed
 * @param sessionId the receiver's
 * @param length bytes of the payload, including confidentiality header and trailer
 */
export function writePacketHeader(
  datagram: Buffer,
  payloadType: number,
  secured: boolean,
  sessionId: number,
  sequence: number,
  length: number,
): void {
  writeRmcpHeader(datagram, RMCP_CLASS.ipmi);
  datagram[4] = AUTH_TYPE_RMCPPLUS;
  datagram[5] = payloadType | (secured ? SECURED : 0);
  datagram.writeUInt32LE(sessionId, 6);
  datagram.writeUInt32LE(sequence, 10);
  datagram.writeUInt16LE(length, 14);
}
