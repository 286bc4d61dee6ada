import { PacketError, requireBytes } from '../packet-error.ts';
import type { SessionChannel } from '../session/session.ts';
import type { CipherSuite } from './cipher-suite.ts';
import { encryptedLength, PayloadCipher } from './confidentiality.ts';
import { PacketIntegrity } from './integrity.ts';
import type { SessionKeys } from './keys.ts';
import { isSecuredPacket, PAYLOAD_OFFSET, payloadLengthOf, sequenceOf, writePacketHeader } from './packet.ts';
import { SequenceWindow } from './sequence-window.ts';

const MAX_SEQUENCE = 0xffff_ffff;
const NONCE_LENGTH = 16;

export interface SecureChannelOptions {
  suite: CipherSuite;
  keys: SessionKeys;
  /** Session ID of the other side, used in sent packets. */
  remoteId: number;
  /** Cryptographically secure bytes. */
  random: (size: number) => Buffer;
}

/** The protected channel of an active session: encrypts and signs, verifies and decrypts, accepts each packet once. */
export class SecureChannel implements SessionChannel {
  readonly suite: CipherSuite;
  readonly #cipher: PayloadCipher;
  readonly #integrity: PacketIntegrity;
  readonly #remoteId: number;
  readonly #random: (size: number) => Buffer;
  readonly #received = new SequenceWindow();
  #lastSent = 0;

  constructor({ suite, keys, remoteId, random }: SecureChannelOptions) {
    this.suite = suite;
    this.#cipher = new PayloadCipher(keys.confidentiality);
    this.#integrity = new PacketIntegrity(suite, keys.integrity);
    this.#remoteId = remoteId;
    this.#random = random;
  }

  seal(payloadType: number, payload: Buffer): Buffer {
    this.#lastSent = this.#lastSent === MAX_SEQUENCE ? 1 : this.#lastSent + 1;
    const length = encryptedLength(payload.length);
    // Every byte is written below.
    const datagram = Buffer.allocUnsafe(PAYLOAD_OFFSET + length + this.#integrity.trailerLength(length));
    writePacketHeader(datagram, payloadType, true, this.#remoteId, this.#lastSent, length);
    this.#cipher.encrypt(payload, this.#random(NONCE_LENGTH), datagram, PAYLOAD_OFFSET);
    this.#integrity.sign(datagram, length);
    return datagram;
  }

  /**
   * @throws PacketError `Unauthenticated`, `Replayed`, `BadIntegrity` or `Malformed`; the window moves only if the packet was
   * genuine but its content malformed
   */
  open(datagram: Buffer): Buffer {
    requireBytes(datagram, PAYLOAD_OFFSET, 'RMCP+ session header');
    if (!isSecuredPacket(datagram)) {
      throw new PacketError('Unauthenticated', 'unencrypted packet in an encrypted session');
    }
    const sequence = sequenceOf(datagram);
    if (!this.#received.accepts(sequence)) {
      throw new PacketError('Replayed', `sequence number ${sequence} was used or is outside the window`);
    }
    const length = payloadLengthOf(datagram);
    this.#integrity.verify(datagram, length);
    this.#received.commit(sequence);
    return this.#cipher.decrypt(datagram, PAYLOAD_OFFSET, PAYLOAD_OFFSET + length);
  }
}
