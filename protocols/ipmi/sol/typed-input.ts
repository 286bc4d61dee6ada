import { type ConsolePacket, encodeBmcPacket, MAX_CHARACTERS, MAX_SEQUENCE } from './sol-packet.ts';

/** Maximum distance behind the last packet at which a sequence number counts as late rather than new. */
const LATE = MAX_SEQUENCE >> 1;

/** Result of a received packet. */
export interface Receipt {
  /** The accepted input. */
  characters: Buffer;
  /** The acknowledgement packet. */
  answer: Buffer;
  /** Whether the packet is new. */
  isFresh: boolean;
}

const NO_CHARACTERS = Buffer.alloc(0);

/** Input of the remote console: each packet once, in order, limited by the machine's input buffer. */
export class TypedInput {
  #last = 0;
  /** Number of accepted characters of the last packet. */
  #accepted = 0;
  #isBlocked = false;
  /** Whether the console waits until the BMC is ready. */
  #isRefused = false;

  /**
   * Handles a packet with a sequence number. A repeated number is a retransmission and gets the same answer, even if there is space now:
   * the console may have received the first answer and sends the rest with a new number.
   *
   * @returns undefined for an old packet, which gets no answer
   */
  receive({ sequence, characters }: ConsolePacket): Receipt | undefined {
    const isFresh = sequence !== this.#last;
    if (isFresh && this.#isLate(sequence)) return undefined;
    if (isFresh) this.#accepted = 0;
    this.#last = sequence;
    const taken = isFresh && !this.#isBlocked ? characters.subarray(0, MAX_CHARACTERS) : NO_CHARACTERS;
    this.#accepted += taken.length;
    this.#isRefused = this.#accepted < characters.length;
    return { characters: taken, answer: this.#answer(), isFresh };
  }

  /** The machine's input is blocked. */
  block(): void {
    this.#isBlocked = true;
  }

  /** The machine accepts input again. @returns the packet for a console whose input was rejected */
  unblock(): Buffer | undefined {
    this.#isBlocked = false;
    if (!this.#isRefused) return undefined;
    this.#isRefused = false;
    return this.#answer();
  }

  #answer(): Buffer {
    return encodeBmcPacket({ acknowledged: this.#last, accepted: this.#accepted, nack: this.#isRefused });
  }

  #isLate(sequence: number): boolean {
    const behind = (this.#last - sequence + MAX_SEQUENCE) % MAX_SEQUENCE;
    return this.#last !== 0 && behind <= LATE;
  }
}
