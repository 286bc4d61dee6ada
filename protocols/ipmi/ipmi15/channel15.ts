import { PacketError } from '../packet-error.ts';
import { PAYLOAD_TYPE } from '../rmcpplus/packet.ts';
import { SequenceWindow } from '../rmcpplus/sequence-window.ts';
import type { SessionChannel } from '../session/session.ts';
import {
  decodeAuthenticatedPacket,
  encodeAuthenticatedPacket,
  isGenuine,
  MAX_PAYLOAD_15,
} from './authenticated-packet.ts';

const MAX_SEQUENCE = 0xffff_ffff;

export interface Channel15Options {
  sessionId: number;
  password: Buffer;
  /** First sequence number of the client; not 0. */
  inboundStart: number;
  /** First sequence number that the client expects; not 0. */
  outboundStart: number;
}

/**
 * The channel of an IPMI 1.5 session, IPMI 2.0 §6.12.12: messages have an MD5 authentication code and a sequence number, are
 * accepted once, and are not encrypted.
 */
export class Channel15 implements SessionChannel {
  readonly maxPayload = MAX_PAYLOAD_15;
  readonly #options: Channel15Options;
  readonly #received: SequenceWindow;
  #nextSent: number;

  constructor(options: Channel15Options) {
    this.#options = options;
    this.#received = new SequenceWindow((options.inboundStart - 1) >>> 0);
    this.#nextSent = options.outboundStart;
  }

  /** @throws TypeError for payload types other than IPMI messages, PacketError for messages over 255 bytes */
  seal(payloadType: number, payload: Buffer): Buffer {
    if (payloadType !== PAYLOAD_TYPE.ipmi) throw new TypeError(`payload type ${payloadType} in an IPMI 1.5 session`);
    const { password, sessionId } = this.#options;
    const datagram = encodeAuthenticatedPacket(password, { sessionId, sequence: this.#nextSent, payload });
    this.#nextSent = this.#nextSent === MAX_SEQUENCE ? 1 : this.#nextSent + 1;
    return datagram;
  }

  open(datagram: Buffer): Buffer {
    const packet = decodeAuthenticatedPacket(datagram);
    if (!this.#received.accepts(packet.sequence)) {
      throw new PacketError('Replayed', `sequence number ${packet.sequence} was used or is outside the window`);
    }
    if (!isGenuine(this.#options.password, packet)) {
      throw new PacketError('BadIntegrity', 'wrong authentication code');
    }
    this.#received.commit(packet.sequence);
    return Buffer.from(packet.payload);
  }
}
