/** ms for which the next packet of a conversation is waited for. */
const WAIT = 0.1;

export interface BusyPollOptions {
  /** ms of a clock that never goes back */
  now: () => number;
  /** Calls `work` in the next turn of the event loop. */
  nextTurn?: (work: () => void) => void;
}

/**
 * Keeps the event loop turning for a tenth of a millisecond after an answer. Who has been answered is about to ask again, and a
 * processor that has gone to sleep meanwhile takes longer to wake up than the answer takes. Where nobody asks, nothing turns.
 */
export class BusyPoll {
  readonly #now: () => number;
  readonly #nextTurn: (work: () => void) => void;
  #until = 0;
  #isAwake = false;

  constructor({ now, nextTurn = setImmediate }: BusyPollOptions) {
    this.#now = now;
    this.#nextTurn = nextTurn;
  }

  /** Somebody has been answered. */
  extend(): void {
    this.#until = this.#now() + WAIT;
    if (this.#isAwake) return;
    this.#isAwake = true;
    this.#nextTurn(this.#turn);
  }

  readonly #turn = (): void => {
    if (this.#now() < this.#until) this.#nextTurn(this.#turn);
    else this.#isAwake = false;
  };
}
