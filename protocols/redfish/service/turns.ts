import type { ServerResponse } from 'node:http';
import { base, RedfishError } from '../messages.ts';

/** Value of Retry-After, seconds. */
const RETRY_AFTER = '2';

/** Limits for expensive answers. */
interface TurnLimits {
  /** Concurrent answers. Memory is the limit, so more would not be faster. */
  readonly atOnce: number;
  /** Answers that are queued, in progress, or not yet read by the client. */
  readonly places: number;
  /** Share of one caller. */
  readonly placesOfCaller: number;
}

const TURN_LIMITS: TurnLimits = { atOnce: 2, places: 48, placesOfCaller: 24 };

interface Waiting extends PromiseWithResolvers<undefined> {
  readonly caller: string;
}

/**
 * Serializes expensive answers, one at a time per caller. Requests above the limit are refused with Retry-After. A place is held
 * until the client has read the answer, because an unread answer stays in memory.
 */
export class Turns {
  readonly #limits: TurnLimits;
  readonly #places = new Map<string, number>();
  #taken = 0;
  readonly #running = new Set<string>();
  readonly #waiting: Waiting[] = [];
  #isBeginning = false;

  constructor(limits: TurnLimits = TURN_LIMITS) {
    this.#limits = limits;
  }

  /**
   * Runs `work` when its turn comes and resolves with its result.
   *
   * @param caller key of the caller
   * @param response response of the request
   * @throws RedfishError 503 without a free place; what `work` throws
   */
  async run<T>(caller: string, response: ServerResponse, work: () => Promise<T>): Promise<T> {
    const waiting: Waiting = { caller, ...Promise.withResolvers<undefined>() };
    this.#takePlace(caller, response, () => {
      this.#giveUp(waiting);
    });
    this.#waiting.push(waiting);
    this.#beginSoon();
    await waiting.promise;
    try {
      if (isGone(response)) throw refusal();
      return await work();
    } finally {
      this.#running.delete(caller);
      this.#beginSoon();
    }
  }

  /** @param onLeave called when the place is free again */
  #takePlace(caller: string, response: ServerResponse, onLeave: () => void): void {
    const own = this.#places.get(caller) ?? 0;
    const { places, placesOfCaller } = this.#limits;
    if (this.#taken >= places || own >= placesOfCaller || isGone(response)) throw refusal();
    this.#taken += 1;
    this.#places.set(caller, own + 1);
    const { socket } = response.req;
    // For a response queued behind others on a broken connection, only the socket reports the close.
    const leave = (): void => {
      response.off('close', leave);
      socket.off('close', leave);
      this.#taken -= 1;
      const left = (this.#places.get(caller) ?? 1) - 1;
      if (left > 0) this.#places.set(caller, left);
      else this.#places.delete(caller);
      onLeave();
    };
    response.once('close', leave);
    socket.once('close', leave);
  }

  /** Removes a waiting entry, so that disconnected clients do not make the queue grow. */
  #giveUp(waiting: Waiting): void {
    const at = this.#waiting.indexOf(waiting);
    if (at === -1) return;
    this.#waiting.splice(at, 1);
    waiting.reject(refusal());
  }

  /** Handles pending I/O before each turn; otherwise work without waits would delay cheap requests. */
  #beginSoon(): void {
    if (this.#isBeginning) return;
    this.#isBeginning = true;
    setImmediate(() => {
      this.#isBeginning = false;
      this.#begin();
    });
  }

  /** Starts the first entry whose caller has none in progress. */
  #begin(): void {
    const next = this.#waiting.find(({ caller }) => !this.#running.has(caller));
    if (next === undefined || this.#running.size >= this.#limits.atOnce) return;
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    this.#running.add(next.caller);
    next.resolve(undefined);
    this.#beginSoon();
  }
}

/** The client has disconnected. */
function isGone({ closed, req: { socket } }: ServerResponse): boolean {
  return closed || socket.destroyed;
}

function refusal(): RedfishError {
  return new RedfishError(503, [base('ServiceTemporarilyUnavailable', [RETRY_AFTER])], { 'Retry-After': RETRY_AFTER });
}
