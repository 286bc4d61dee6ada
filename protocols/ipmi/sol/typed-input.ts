import { type ConsolePacket, encodeBmcPacket, MAX_CHARACTERS, MAX_SEQUENCE } from './sol-packet.ts';

/** How far behind the last packet a number still belongs to one that was late, not to one to come. */
const LATE = MAX_SEQUENCE >> 1;

/** What to do about a packet. */
export interface Receipt {
  /** What is to be typed. */
  characters: Buffer;
  /** The packet that answers it. */
  answer: Buffer;
  /** Whether it was not seen before. */
  isFresh: boolean;
}

const NO_CHARACTERS = Buffer.alloc(0);

/** What the remote console types: each packet once, in order, and no more than the machine takes in. */
export class TypedInput {
  #last = 0;
  /** Characters of the last packet that were taken in. */
  #accepted = 0;
  #isBlocked = false;
  /** Whether the console waits to be told that it may go on. */
  #isRefused = false;

  /**
   * Takes a packet with a sequence number. A number that was seen last is the packet sent again, and gets the same answer, also
   * where there would be room by now: its console may have heard the first one, and sends the rest under another number.
   *
   * @returns undefined for a packet that overtook nothing and is long over, which gets no answer
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

  /** The machine takes in no more. */
  block(): void {
    this.#isBlocked = true;
  }

  /** The machine takes in more again. @returns what tells a console so that was refused something */
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
