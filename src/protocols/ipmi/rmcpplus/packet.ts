import { PacketError, requireBytes } from '../packet-error.ts';
import { RMCP_CLASS, RMCP_HEADER_LENGTH, writeRmcpHeader } from '../rmcp/rmcp-header.ts';
import { PAYLOAD_TYPE } from './payload-type.ts';

/** Authentication type that marks the session header of RMCP+, IPMI 2.0 §13.6. */
export const AUTH_TYPE_RMCPPLUS = 0x06;

/** Offset of the payload in the datagram: RMCP header, then authentication type, payload type, ID, sequence, length. */
export const PAYLOAD_OFFSET = RMCP_HEADER_LENGTH + 12;

const ENCRYPTED = 0x80;
const AUTHENTICATED = 0x40;
const TYPE_MASK = 0x3f;

/** A packet of RMCP+, as the wire shows it: payload still encrypted, signature not yet checked. */
export interface Packet {
  readonly payloadType: number;
  readonly encrypted: boolean;
  readonly authenticated: boolean;
  /** The receiver's session ID; 0 outside of a session. */
  readonly sessionId: number;
  readonly sequence: number;
  readonly payload: Buffer;
  /** The datagram that it is a view of; the signature covers it from the session header on. */
  readonly datagram: Buffer;
}

/** @throws PacketError `Malformed`, or `Unsupported` for OEM payloads, whose header is longer */
export function decodePacket(datagram: Buffer): Packet {
  requireBytes(datagram, PAYLOAD_OFFSET, 'RMCP+ session header');
  const type = datagram.readUInt8(5);
  const payloadType = type & TYPE_MASK;
  if (payloadType === PAYLOAD_TYPE.oem) throw new PacketError('Unsupported', 'OEM payload');
  const length = datagram.readUInt16LE(14);
  requireBytes(datagram, PAYLOAD_OFFSET + length, 'RMCP+ payload');
  return {
    payloadType,
    encrypted: (type & ENCRYPTED) !== 0,
    authenticated: (type & AUTHENTICATED) !== 0,
    sessionId: datagram.readUInt32LE(6),
    sequence: datagram.readUInt32LE(10),
    payload: datagram.subarray(PAYLOAD_OFFSET, PAYLOAD_OFFSET + length),
    datagram,
  };
}

/** Wraps a payload that travels outside of any session: clear, unsigned, session ID and sequence number 0. */
export function encodeSessionlessPacket(payloadType: number, payload: Buffer): Buffer {
  const datagram = Buffer.alloc(PAYLOAD_OFFSET + payload.length);
  writePacketHeader(datagram, { payloadType, secured: false, sessionId: 0, sequence: 0, length: payload.length });
  payload.copy(datagram, PAYLOAD_OFFSET);
  return datagram;
}

export interface PacketHeader {
  payloadType: number;
  /** Both encrypted and signed; this BMC never does one without the other. */
  secured: boolean;
  sessionId: number;
  sequence: number;
  /** Bytes of the payload, its confidentiality header and trailer included. */
  length: number;
}

/** Writes RMCP and session header at the start of `datagram`. */
export function writePacketHeader(datagram: Buffer, header: PacketHeader): void {
  writeRmcpHeader(datagram, RMCP_CLASS.ipmi);
  datagram.writeUInt8(AUTH_TYPE_RMCPPLUS, 4);
  datagram.writeUInt8(header.payloadType | (header.secured ? ENCRYPTED | AUTHENTICATED : 0), 5);
  datagram.writeUInt32LE(header.sessionId, 6);
  datagram.writeUInt32LE(header.sequence, 10);
  datagram.writeUInt16LE(header.length, 14);
}
