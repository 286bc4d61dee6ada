/** Time to wait for the next packet of a conversation, in ms. */
const WAIT = 0.1;
/** Longest time between two turns of the event loop while packets arrive, in ms. */
const TURN = 0.5;
/** Looks for packets between two looks at the clock, which costs as much. */
const LOOKS = 8;
/** A longer time between two looks, in ms: another process had the processor meanwhile, or there was much to do. */
const GAP = 1;
/** ms without polling after such a time. */
const REST = 1_000;
/** What is left of the next rest after an answer. */
const RECOVERY = 0.99;

export interface BusyPollOptions {
  /** ms of a monotonic clock */
  now: () => number;
  /** Calls `work` in the next turn of the event loop. */
  nextTurn?: (work: () => void) => void;
  /**
   * ms without polling when another process had the processor, at least. The time doubles with each such event, up to 1 s, and becomes
   * 1 % shorter with each answer. Default 1 s.
   */
  leastRest?: number;
  /** Handles the packets that have arrived, without the event loop. Default: only the event loop looks. @returns whether there were any */
  poll?: () => boolean;
}

/**
 * Looks for packets for 0.1 ms after an answer, or keeps the event loop turning. The client usually sends its next request at once,
 * and waking an idle processor takes longer than the answer. If other processes want the processor, it does not poll: it would lose
 * the processor for milliseconds when its turn is used up, and packets would wait. Without requests, nothing runs.
 */
export class BusyPoll {
  readonly #now: () => number;
  readonly #nextTurn: (work: () => void) => void;
  readonly #poll: (() => boolean) | undefined;
  readonly #leastRest: number;
  #until = 0;
  #lastLook = 0;
  #restsUntil = 0;
  #nextRest = REST;
  #isAwake = false;

  constructor({ now, nextTurn = setImmediate, leastRest = REST, poll }: BusyPollOptions) {
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
    this.#lastLook = now;
    this.#nextTurn(this.#turn);
  }

  readonly #turn = (): void => {
    const end = this.#now() + TURN;
    do {
      this.#isAwake = this.#mayPoll();
      if (!this.#isAwake) return;
      for (let looks = 0; looks < LOOKS && this.#poll?.() === false; looks += 1);
    } while (this.#poll !== undefined && this.#lastLook < end);
    this.#nextTurn(this.#turn);
  };

  #mayPoll(): boolean {
    const now = this.#now();
    if (now - this.#lastLook > GAP) {
      this.#restsUntil = now + this.#nextRest;
      this.#nextRest = Math.min(REST, 2 * this.#nextRest);
    }
    this.#lastLook = now;
    return now < this.#until && now >= this.#restsUntil;
  }
}
