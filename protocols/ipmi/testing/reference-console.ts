import { decodeBmcPacket, encodeConsolePacket } from '../sol/sol-packet.ts';

/** ms */
const RETRY_INTERVAL = 400;
const MAX_SEQUENCE = 15;

/**
 * A remote console written from the specification, independent of the BMC code: it sends one packet at a time with retransmissions, and
 * accepts each packet of the BMC once.
 */
export class ReferenceConsole {
  shown = '';
  /** Input that is not sent or not acknowledged yet. */
  #typed = Buffer.alloc(0);
  readonly #packetSize: number;
  #sequence = 0;
  #flight: { sequence: number; characters: Buffer; sentAt: number } | undefined;
  /** After a NACK: the time until which it waits, unless the BMC is ready earlier. */
  #waitsUntil = 0;
  #refused = 0;
  #last = 0;

  constructor(packetSize: number) {
    this.#packetSize = packetSize;
  }

  get hasTypedAll(): boolean {
    return this.#typed.length === 0 && this.#flight === undefined;
  }

  type(text: string): void {
    this.#typed = Buffer.concat([this.#typed, Buffer.from(text, 'latin1')]);
  }

  /** Handles a payload of the BMC and returns the acknowledgement, if any. */
  receive(payload: Buffer, now: number): Buffer | undefined {
    const { sequence, acknowledged, accepted, nack, characters } = decodeBmcPacket(payload);
    if (acknowledged !== 0 && acknowledged === this.#flight?.sequence) {
      const rest = this.#flight.characters.subarray(accepted);
      this.#flight = undefined;
      if (nack) [this.#refused, this.#waitsUntil] = [acknowledged, now + RETRY_INTERVAL];
      this.#typed = Buffer.concat([rest, this.#typed]);
    } else if (acknowledged !== 0 && acknowledged === this.#refused && !nack) this.#waitsUntil = now;
    if (sequence === 0) return undefined;
    const behind = (this.#last - sequence + MAX_SEQUENCE) % MAX_SEQUENCE;
    if (this.#last !== 0 && behind > 0 && behind <= MAX_SEQUENCE / 2) return undefined;
    if (sequence !== this.#last) this.shown += characters.toString('latin1');
    this.#last = sequence;
    return encodeConsolePacket({ acknowledged: sequence, accepted: characters.length });
  }

  /** The packet to send now. */
  tick(now: number): Buffer | undefined {
    if (this.#flight !== undefined) {
      if (now - this.#flight.sentAt < RETRY_INTERVAL) return undefined;
      this.#flight.sentAt = now;
      return encodeConsolePacket(this.#flight);
    }
    if (this.#typed.length === 0 || now < this.#waitsUntil) return undefined;
    this.#sequence = (this.#sequence % MAX_SEQUENCE) + 1;
    const characters = this.#typed.subarray(0, this.#packetSize);
    this.#typed = this.#typed.subarray(this.#packetSize);
    this.#flight = { sequence: this.#sequence, characters, sentAt: now };
    return encodeConsolePacket(this.#flight);
  }
}
