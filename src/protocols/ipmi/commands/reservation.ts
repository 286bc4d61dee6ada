/**
 * A reservation of a log or repository: whoever reads it in pieces or deletes from it shows the number that it was given, and
 * learns by its refusal that others have been there since. There is one at a time, for all sessions; IPMI 2.0 §31.4, §33.11.
 */
export class Reservation {
  #last = 0;
  #isHeld = false;

  /** Makes another, which ends the one before. */
  take(): number {
    this.#last = (this.#last % 0xffff) + 1;
    this.#isHeld = true;
    return this.#last;
  }

  holds(id: number): boolean {
    return this.#isHeld && id === this.#last;
  }

  cancel(): void {
    this.#isHeld = false;
  }
}
