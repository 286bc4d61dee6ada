import { PacketError } from '../packet-error.ts';
import type { CipherSuite } from './cipher-suite.ts';
import { decryptPayload, encryptedLength, encryptPayload } from './confidentiality.ts';
import { integrityTrailerLength, verifyIntegrity, writeIntegrityTrailer } from './integrity.ts';
import type { SessionKeys } from './keys.ts';
import { PAYLOAD_OFFSET, type Packet, writePacketHeader } from './packet.ts';
import { SequenceWindow } from './sequence-window.ts';

const MAX_SEQUENCE = 0xffff_ffff;
const INITIALIZATION_VECTOR_LENGTH = 16;

export interface SecureChannelOptions {
  suite: CipherSuite;
  keys: SessionKeys;
  /** Session ID of the other side; what is sent carries it. */
  remoteId: number;
  /** Cryptographically secure bytes. */
  random: (size: number) => Buffer;
}

/** The protected way between two sides of an active session: encrypts and signs, checks and decrypts, each packet once. */
export class SecureChannel {
  readonly suite: CipherSuite;
  readonly #keys: SessionKeys;
  readonly #remoteId: number;
  readonly #random: (size: number) => Buffer;
  readonly #received = new SequenceWindow();
  #lastSent = 0;

  constructor(options: SecureChannelOptions) {
    this.suite = options.suite;
    this.#keys = options.keys;
    this.#remoteId = options.remoteId;
    this.#random = options.random;
  }

  /** Makes the datagram that carries `payload` to the other side. */
  seal(payloadType: number, payload: Buffer): Buffer {
    this.#lastSent = this.#lastSent === MAX_SEQUENCE ? 1 : this.#lastSent + 1;
    const length = encryptedLength(payload.length);
    const datagram = Buffer.alloc(PAYLOAD_OFFSET + length + integrityTrailerLength(this.suite, length));
    writePacketHeader(datagram, {
      payloadType,
      secured: true,
      sessionId: this.#remoteId,
      sequence: this.#lastSent,
      length,
    });
    const vector = this.#random(INITIALIZATION_VECTOR_LENGTH);
    encryptPayload(this.#keys.confidentiality, vector, payload).copy(datagram, PAYLOAD_OFFSET);
    writeIntegrityTrailer(this.suite, this.#keys.integrity, datagram, length);
    return datagram;
  }

  /**
   * Gives the clear payload of a packet that is genuine and was not seen before.
   *
   * @throws PacketError `Unauthenticated`, `Replayed`, `BadIntegrity` or `Malformed`; the window has not moved then,
   *   unless the packet was genuine and malformed within
   */
  open(packet: Packet): Buffer {
    if (!packet.encrypted || !packet.authenticated) {
      throw new PacketError('Unauthenticated', 'clear packet in a session that encrypts and signs');
    }
    if (!this.#received.accepts(packet.sequence)) {
      throw new PacketError('Replayed', `sequence number ${packet.sequence} was seen or is outside the window`);
    }
    verifyIntegrity(this.suite, this.#keys.integrity, packet);
    this.#received.commit(packet.sequence);
    return decryptPayload(this.#keys.confidentiality, packet.payload);
  }
}
