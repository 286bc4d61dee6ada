import { timingSafeEqual } from 'node:crypto';
import { PacketError, requireBytes } from '../packet-error.ts';
import { RMCP_HEADER_LENGTH } from '../rmcp.ts';
import type { CipherSuite } from './cipher-suite.ts';
import { Hmac } from './hmac.ts';
import { PAYLOAD_OFFSET } from './packet.ts';

/** The only value of the next header field in the session trailer, IPMI 2.0 §13.6. */
const NEXT_HEADER = 0x07;
/** Pad length and next header. */
const TRAILER_LENGTH = 2;
const PAD = 0xff;

/** Signs packets and verifies signatures, IPMI 2.0 §13.28.4: pad, pad length, next header, signature. */
export class PacketIntegrity {
  readonly #hmac: Hmac;
  readonly #codeLength: number;
  readonly #expected: Buffer;
  readonly #received: Buffer;

  /** @param key K1, at most 64 bytes */
  constructor(suite: CipherSuite, key: Buffer) {
    this.#hmac = new Hmac(suite, key);
    this.#codeLength = suite.integrityLength;
    this.#expected = Buffer.allocUnsafe(suite.integrityLength);
    this.#received = Buffer.allocUnsafe(suite.integrityLength);
  }

  /** Bytes of the trailer after a payload of `payloadLength` bytes. */
  trailerLength(payloadLength: number): number {
    return padLength(payloadLength) + TRAILER_LENGTH + this.#codeLength;
  }

  /** Writes the trailer after the payload, which must be in `datagram` already. */
  sign(datagram: Buffer, payloadLength: number): void {
    const pad = padLength(payloadLength);
    const padStart = PAYLOAD_OFFSET + payloadLength;
    for (let i = 0; i < pad; i += 1) datagram[padStart + i] = PAD;
    datagram[padStart + pad] = pad;
    datagram[padStart + pad + 1] = NEXT_HEADER;
    const signed = padStart + pad + TRAILER_LENGTH;
    const code = this.#code(datagram, signed);
    for (let i = 0; i < this.#codeLength; i += 1) datagram[signed + i] = code[i] ?? 0;
  }

  /**
   * Verifies the trailer after a payload of `payloadLength` bytes.
   *
   * @throws PacketError `Malformed` or `BadIntegrity`
   */
  verify(datagram: Buffer, payloadLength: number): void {
    const padStart = PAYLOAD_OFFSET + payloadLength;
    requireBytes(datagram, padStart + TRAILER_LENGTH + this.#codeLength, 'RMCP+ session trailer');
    const signed = datagram.length - this.#codeLength;
    const code = this.#code(datagram, signed);
    for (let i = 0; i < this.#codeLength; i += 1) {
      this.#expected[i] = code[i] ?? 0;
      this.#received[i] = datagram[signed + i] ?? 0;
    }
    if (!timingSafeEqual(this.#expected, this.#received)) {
      throw new PacketError('BadIntegrity', 'wrong integrity code');
    }
    const pad = signed - TRAILER_LENGTH - padStart;
    if (
      datagram[signed - 1] !== NEXT_HEADER ||
      datagram[signed - TRAILER_LENGTH] !== pad ||
      !isPad(datagram, padStart, pad)
    ) {
      throw new PacketError('Malformed', 'integrity pad or next header');
    }
  }

  /** The code of everything from the session header on. */
  #code(datagram: Buffer, end: number): Buffer {
    return this.#hmac.code(datagram, RMCP_HEADER_LENGTH, end);
  }
}

/** Pads the signed part, session header to next header, to a multiple of 4 bytes. */
function padLength(payloadLength: number): number {
  return (4 - ((PAYLOAD_OFFSET - RMCP_HEADER_LENGTH + payloadLength + TRAILER_LENGTH) % 4)) % 4;
}

function isPad(bytes: Buffer, start: number, length: number): boolean {
  for (let i = start; i < start + length; i += 1) if (bytes[i] !== PAD) return false;
  return true;
}
