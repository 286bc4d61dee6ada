import type { PacketView } from '../../codec/packet-view.ts';
import { OPTION } from '../../options/option-code.ts';
import { MAX_ANSWER_LENGTH } from './answer-buffer.ts';

/** What every client takes, RFC 2131 §2; also the least that option 57 may say (RFC 2132 §9.10). */
const MIN_DATAGRAM = 576;
const HEADERS_OF_IP_AND_UDP = 28;

/** Bytes that an answer to this client may have. Option 57 is read as the size of the datagram: the safer reading. */
export function messageLimit(packet: PacketView): number {
  const datagram = Math.max(MIN_DATAGRAM, packet.u16(OPTION.maxMessageSize) ?? MIN_DATAGRAM);
  return Math.min(datagram - HEADERS_OF_IP_AND_UDP, MAX_ANSWER_LENGTH);
}
