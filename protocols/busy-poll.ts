/** Time to wait for the next packet of a conversation, in ms. */
const WAIT = 0.1;
/** A turn of the event loop that took longer, in ms: another process had the processor meanwhile, or there was much to do. */
const GAP = 1;
/** ms without polling after such a turn. */
const REST = 1_000;

export interface BusyPollOptions {
  /** ms of a monotonic clock */
  now: () => number;
  /** Calls `work` in the next turn of the event loop. */
  nextTurn?: (work: () => void) => void;
}

/**
 * Keeps the event loop turning for 0.1 ms after an answer. The client usually sends its next request at once, and waking an
 * idle processor takes longer than the answer. If other processes want the processor, it does not poll: it would lose the
 * processor for milliseconds when its turn is used up, and packets would wait. Without requests, nothing runs.
 */
export class BusyPoll {
  readonly #now: () => number;
  readonly #nextTurn: (work: () => void) => void;
  #until = 0;
  #lastTurn = 0;
  #restsUntil = 0;
  #isAwake = false;

  constructor({ now, nextTurn = setImmediate }: BusyPollOptions) {
    this.#now = now;
    this.#nextTurn = nextTurn;
  }

  /** Call this after each answer. */
  extend(): void {
    const now = this.#now();
    if (now < this.#restsUntil) return;
    this.#until = now + WAIT;
    if (this.#isAwake) return;
    this.#isAwake = true;
    this.#lastTurn = now;
    this.#nextTurn(this.#turn);
  }

  readonly #turn = (): void => {
    const now = this.#now();
    if (now - this.#lastTurn > GAP) this.#restsUntil = now + REST;
    this.#lastTurn = now;
    if (now < this.#until && now >= this.#restsUntil) this.#nextTurn(this.#turn);
    else this.#isAwake = false;
  };
}
