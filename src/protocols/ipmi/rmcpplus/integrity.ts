import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { PacketError, requireBytes } from '../packet-error.ts';
import { RMCP_HEADER_LENGTH } from '../rmcp/rmcp-header.ts';
import type { CipherSuite } from './cipher-suite.ts';
import { PAYLOAD_OFFSET, type Packet } from './packet.ts';

/** The session trailer's next header field has this one value, IPMI 2.0 §13.6. */
const NEXT_HEADER = 0x07;
/** Pad length and next header. */
const TRAILER_LENGTH = 2;
const PAD = 0xff;

/** Bytes that {@link writeIntegrityTrailer} adds after a payload of `length` bytes. */
export function integrityTrailerLength(suite: CipherSuite, length: number): number {
  return padLength(length) + TRAILER_LENGTH + suite.integrityLength;
}

/** Writes pad, trailer and signature behind the payload, which has to stand in `datagram` already (IPMI 2.0 §13.28.4). */
export function writeIntegrityTrailer(
  suite: CipherSuite,
  key: KeyObject,
  datagram: Buffer,
  payloadLength: number,
): void {
  const pad = padLength(payloadLength);
  const padStart = PAYLOAD_OFFSET + payloadLength;
  datagram.fill(PAD, padStart, padStart + pad);
  datagram.writeUInt8(pad, padStart + pad);
  datagram.writeUInt8(NEXT_HEADER, padStart + pad + 1);
  const signed = padStart + pad + TRAILER_LENGTH;
  sign(suite, key, datagram.subarray(RMCP_HEADER_LENGTH, signed)).copy(datagram, signed, 0, suite.integrityLength);
}

/**
 * Checks pad, trailer and signature of a packet.
 *
 * @throws PacketError `Malformed` or `BadIntegrity`
 */
export function verifyIntegrity(suite: CipherSuite, key: KeyObject, packet: Packet): void {
  const { datagram } = packet;
  const padStart = PAYLOAD_OFFSET + packet.payload.length;
  requireBytes(datagram, padStart + TRAILER_LENGTH + suite.integrityLength, 'RMCP+ session trailer');
  const signed = datagram.length - suite.integrityLength;
  const expected = sign(suite, key, datagram.subarray(RMCP_HEADER_LENGTH, signed)).subarray(0, suite.integrityLength);
  if (!timingSafeEqual(expected, datagram.subarray(signed))) {
    throw new PacketError('BadIntegrity', 'integrity code does not fit');
  }
  const pad = signed - TRAILER_LENGTH - padStart;
  if (
    datagram.readUInt8(signed - 1) !== NEXT_HEADER ||
    datagram.readUInt8(signed - TRAILER_LENGTH) !== pad ||
    !datagram.subarray(padStart, padStart + pad).every((byte) => byte === PAD)
  ) {
    throw new PacketError('Malformed', 'integrity pad or next header');
  }
}

/** Pad so that what is signed, session header to next header, is a multiple of 4 bytes. */
function padLength(payloadLength: number): number {
  return (4 - ((PAYLOAD_OFFSET - RMCP_HEADER_LENGTH + payloadLength + TRAILER_LENGTH) % 4)) % 4;
}

function sign(suite: CipherSuite, key: KeyObject, data: Buffer): Buffer {
  return createHmac(suite.hash, key).update(data).digest();
}
