/**
 * A reservation of a log or repository: whoever reads it in pieces or deletes from it shows the number that it was given, and
 * learns by its refusal that others have been there since. There is one at a time, for all sessions; IPMI 2.0 §31.4, §33.11.
 */
export class Reservation {
  #last = 0;
  #isHeld = false;
  #state: number | undefined;

  /**
   * Makes another, which ends the one before.
   *
   * @param state tells what is reserved from what it may become; the reservation ends when it is another. Default: it ends by
   * {@link cancel} alone
   */
  take(state?: number): number {
    this.#last = (this.#last % 0xffff) + 1;
    this.#isHeld = true;
    this.#state = state;
    return this.#last;
  }

  /** @param state what is reserved, as it is by now */
  holds(id: number, state?: number): boolean {
    return this.#isHeld && id === this.#last && state === this.#state;
  }

  cancel(): void {
    this.#isHeld = false;
  }
}
