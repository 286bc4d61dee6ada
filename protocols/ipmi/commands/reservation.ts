import { COMPLETION, CompletionError } from '../message/codes.ts';

/**
 * A reservation of a log or repository: a client that reads it in parts or deletes from it sends the reservation ID, which is rejected if
 * the contents changed. There is one at a time for all sessions; IPMI 2.0 §31.4, §33.11.
 */
export class Reservation {
  #last = 0;
  #isHeld = false;
  #state: number | undefined;

  /**
   * Creates a reservation, which ends the previous one.
   *
   * @param state identifies the reserved contents; the reservation ends when it changes. Default: it ends only by {@link cancel}
   */
  take(state?: number): number {
    this.#last = (this.#last % 0xffff) + 1;
    this.#isHeld = true;
    this.#state = state;
    return this.#last;
  }

  /** @param state the current contents */
  holds(id: number, state?: number): boolean {
    return this.#isHeld && id === this.#last && state === this.#state;
  }

  cancel(): void {
    this.#isHeld = false;
  }
}

/** Count for everything from the offset on. */
export const WHOLE = 0xff;

/**
 * The requested bytes of a record. The completion codes tell the client that the range is invalid.
 *
 * @throws CompletionError 0xC9 for an offset after the end, 0xCA for too many bytes
 */
export function readPart(record: Buffer, offset: number, count: number): Buffer {
  if (offset >= record.length) throw new CompletionError(COMPLETION.outOfRange, `offset ${offset} of ${record.length}`);
  if (count === WHOLE) return record.subarray(offset);
  if (offset + count > record.length) {
    throw new CompletionError(COMPLETION.tooManyBytes, `${count} bytes from ${offset} of ${record.length}`);
  }
  return record.subarray(offset, offset + count);
}
