import type { ServerResponse } from 'node:http';
import { base, RedfishError } from '../../messages/index.ts';

/** Seconds after which a client that is refused may find room. */
const RETRY_AFTER = '2';

/** What expensive answers may take of a BMC. */
interface TurnLimits {
  /** Made at the same time. What they wait for is memory, so that more at once would not be quicker. */
  readonly atOnce: number;
  /** Waiting, being made, or made and not yet taken by the client. */
  readonly places: number;
  /** Of those, one caller's. */
  readonly placesOfCaller: number;
}

const TURN_LIMITS: TurnLimits = { atOnce: 2, places: 48, placesOfCaller: 24 };

interface Waiting extends PromiseWithResolvers<undefined> {
  readonly caller: string;
}

/**
 * Has answers that take much time and memory made one after the other, one of a caller at a time, however many are asked for. Who is
 * one too many is told to come back. A place is held until the client has the answer: what nobody reads stays in memory.
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
   * Calls `work` when it is its turn, and resolves with what it gives.
   *
   * @param caller what tells callers apart
   * @param response of the request that it is for
   * @throws RedfishError 503 where there is no place; what `work` throws
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
    // Of responses behind others on a connection that breaks, the socket alone tells that.
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

  /** Of clients that come and go while one turn takes its time, the line would grow without end. */
  #giveUp(waiting: Waiting): void {
    const at = this.#waiting.indexOf(waiting);
    if (at === -1) return;
    this.#waiting.splice(at, 1);
    waiting.reject(refusal());
  }

  /**
   * What has come from clients is looked at before each turn: work that waits for nothing would else be done as each request is read,
   * and cheap ones behind it would wait for all.
   */
  #beginSoon(): void {
    if (this.#isBeginning) return;
    this.#isBeginning = true;
    setImmediate(() => {
      this.#isBeginning = false;
      this.#begin();
    });
  }

  /** The first in line whose caller has none under way. */
  #begin(): void {
    const next = this.#waiting.find(({ caller }) => !this.#running.has(caller));
    if (next === undefined || this.#running.size >= this.#limits.atOnce) return;
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    this.#running.add(next.caller);
    next.resolve(undefined);
    this.#beginSoon();
  }
}

/** Nobody is there any more to take the answer. */
function isGone({ closed, req: { socket } }: ServerResponse): boolean {
  return closed || socket.destroyed;
}

function refusal(): RedfishError {
  return new RedfishError(503, [base('ServiceTemporarilyUnavailable', [RETRY_AFTER])], { 'Retry-After': RETRY_AFTER });
}
