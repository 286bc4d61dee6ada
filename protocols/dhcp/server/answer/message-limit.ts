import type { PacketView } from '../../codec/packet-view.ts';
import { OPTION } from '../../options/option-code.ts';
import { MAX_ANSWER_LENGTH } from './answer-buffer.ts';

/** The size that every client accepts, RFC 2131 §2; also the minimum of option 57 (RFC 2132 §9.10). */
const MIN_DATAGRAM = 576;
const HEADERS_OF_IP_AND_UDP = 28;

/** Maximum size of an answer to this client, in bytes. Option 57 is read as the size of the IP datagram, the safer interpretation. */
export function messageLimit(packet: PacketView): number {
  const datagram = Math.max(MIN_DATAGRAM, packet.u16(OPTION.maxMessageSize) ?? MIN_DATAGRAM);
  return Math.min(datagram - HEADERS_OF_IP_AND_UDP, MAX_ANSWER_LENGTH);
}
