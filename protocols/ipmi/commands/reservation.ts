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

  /** @throws CompletionError 0xC5 if {@link holds} is false */
  require(id: number, state?: number): void {
    if (!this.holds(id, state)) throw new CompletionError(COMPLETION.reservationCancelled, `no reservation ${id}`);
  }

  cancel(): void {
    this.#isHeld = false;
  }
}

const ACTION = { status: 0x00, erase: 0xaa };
/** Response of Clear SEL and Clear SDR Repository: erasing takes no time. */
export const ERASURE_COMPLETED = 0x01;

/**
 * Whether a request of Clear SEL or Clear SDR Repository erases; otherwise it asks for the status. IPMI 2.0 §31.9, §33.16.
 *
 * @throws CompletionError 0xCC for any other content
 */
export function isErasure(request: Buffer): boolean {
  if (request.toString('latin1', 2, 5) !== 'CLR') throw new CompletionError(COMPLETION.invalidField, 'not "CLR"');
  const action = request.readUInt8(5);
  if (action !== ACTION.status && action !== ACTION.erase) {
    throw new CompletionError(COMPLETION.invalidField, `action ${action}`);
  }
  return action === ACTION.erase;
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
