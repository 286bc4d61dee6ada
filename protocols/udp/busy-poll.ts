/** Time to wait for the next packet of a conversation, in ms. */
const WAIT = 0.1;
/** Most ms between two turns of the event loop while packets arrive. */
const TURN = 1;
/** Looks for packets between two readings of the clock, which takes as long. */
const LOOKS = 8;
/** More ms than this between two readings: another process had the processor meanwhile, or there was much to do. */
const GAP = 1;
/** ms without polling after a gap. */
const REST = 1_000;
/** Each answer multiplies the next rest by this. */
const RECOVERY = 0.99;

export interface BusyPollOptions {
  /** ms of a monotonic clock */
  now: () => number;
  /** Calls `work` in the next turn of the event loop. */
  nextTurn?: (work: () => void) => void;
  /**
   * Least ms without polling when another process had the processor. The time doubles with each such event, up to 1 s, and becomes 1 %
   * shorter with each answer while it polls. Default 1 s.
   */
  leastRest?: number;
  /**
   * Handles the packets that have arrived, without the event loop.
   *
   * @returns whether there were any; undefined if only the event loop can tell, which is the default
   */
  poll?: () => boolean | undefined;
}

/**
 * Looks for packets for 0.1 ms after an answer, or keeps the event loop turning. The client usually sends its next request at once,
 * and waking an idle processor takes longer than the answer. If other processes want the processor, it does not poll: it would lose
 * the processor for milliseconds when its turn is used up, and packets would wait. Without requests, nothing runs.
 */
export class BusyPoll {
  readonly #now: () => number;
  readonly #nextTurn: (work: () => void) => void;
  readonly #poll: () => boolean | undefined;
  readonly #leastRest: number;
  #until = 0;
  #lastTime = 0;
  #restsUntil = 0;
  #nextRest = REST;
  #isAwake = false;

  constructor({ now, nextTurn = setImmediate, leastRest = REST, poll = () => undefined }: BusyPollOptions) {
    this.#now = now;
    this.#nextTurn = nextTurn;
    this.#leastRest = leastRest;
    this.#poll = poll;
  }

  /** Call this after each answer. */
  extend(): void {
    const now = this.#now();
    if (now < this.#restsUntil) return;
    this.#until = now + WAIT;
    this.#nextRest = Math.max(this.#leastRest, RECOVERY * this.#nextRest);
    if (this.#isAwake) return;
    this.#isAwake = true;
    this.#lastTime = now;
    this.#nextTurn(this.#turn);
  }

  readonly #turn = (): void => {
    this.#isAwake = this.#mayPoll();
    const end = this.#lastTime + TURN;
    while (this.#isAwake) {
      if (this.#look() === undefined || this.#lastTime >= end) {
        this.#nextTurn(this.#turn);
        return;
      }
      this.#isAwake = this.#mayPoll();
    }
  };

  #look(): boolean | undefined {
    let found = this.#poll();
    for (let looks = 1; looks < LOOKS && found === false; looks += 1) found = this.#poll();
    return found;
  }

  #mayPoll(): boolean {
    const now = this.#now();
    if (now - this.#lastTime > GAP) {
      this.#restsUntil = now + this.#nextRest;
      this.#nextRest = Math.min(REST, 2 * this.#nextRest);
    }
    this.#lastTime = now;
    return now < this.#until && now >= this.#restsUntil;
  }
}
