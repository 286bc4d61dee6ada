/** Time to wait for the next packet of a conversation, in ms. */
const WAIT = 0.1;

export interface BusyPollOptions {
  /** ms of a monotonic clock */
  now: () => number;
  /** Calls `work` in the next turn of the event loop. */
  nextTurn?: (work: () => void) => void;
}

/**
 * Keeps the event loop turning for 0.1 ms after an answer. The client usually sends its next request at once, and waking an
 * idle processor takes longer than the answer. Without requests, nothing runs.
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

  /** Call this after each answer. */
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
