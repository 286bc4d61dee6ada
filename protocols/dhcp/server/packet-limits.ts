import type { Lease } from '../lease.ts';

/** Packets per second; the burst is twice as many. */
export interface Limits {
  perClient: number;
  unknownClients: number;
}

/**
 * A client sends four packets to boot, firmware and operating system together about twenty. Unknown clients never get an answer;
 * their limit applies to reports to the observer.
 */
const DEFAULT_LIMITS: Limits = { perClient: 50, unknownClients: 100 };
/**
 * Length of an epoch of relative times, in ms. V8 stores integers of this size in the map itself. Other numbers are objects, one
 * per packet until the next full collection: megabytes under load.
 */
const EPOCH = 2 ** 30;

/**
 * Limits the packets of each known client, and the reports of all unknown clients together. An unknown client costs one map
 * lookup and no memory.
 */
export class PacketLimits {
  readonly #client: Pace;
  readonly #stranger: Pace;
  /** Whole ms since `#since`, by lease, so there are never more entries than leases. A changed lease starts with a full burst. */
  #clients = new WeakMap<Lease, number>();
  #since = 0;
  #strangers = 0;

  constructor({ perClient, unknownClients }: Partial<Limits> = {}) {
    this.#client = new Pace(perClient ?? DEFAULT_LIMITS.perClient);
    this.#stranger = new Pace(unknownClients ?? DEFAULT_LIMITS.unknownClients);
  }

  admitsClient(lease: Lease, now: number): boolean {
    if (this.#client.isUnlimited) return true;
    if (now - this.#since >= EPOCH) this.#begin(now);
    const next = this.#client.next(this.#clients.get(lease) ?? 0, Math.floor(now - this.#since));
    if (next === undefined) return false;
    this.#clients.set(lease, Math.ceil(next));
    return true;
  }

  /** Whether to report an unknown client. */
  tellsOfStranger(now: number): boolean {
    const next = this.#stranger.next(this.#strangers, now);
    if (next === undefined) return false;
    this.#strangers = next;
    return true;
  }

  /** Resets all clients; harmless once in twelve days. */
  #begin(now: number): void {
    this.#clients = new WeakMap();
    this.#since = now;
  }
}

/**
 * A rate limit with a burst of two seconds: the generic cell rate algorithm. Its state is one number, the theoretical arrival
 * time.
 */
export class Pace {
  readonly #interval: number;
  readonly #tolerance: number;

  /** @param rate per second; Infinity admits everything */
  constructor(rate: number) {
    this.#interval = 1_000 / rate;
    this.#tolerance = Math.max(0, 2_000 - this.#interval);
  }

  /** Everything is admitted and no state is needed. */
  get isUnlimited(): boolean {
    return this.#interval === 0;
  }

  /** The new state after one more event at `now` (ms); undefined: not admitted. */
  next(state: number, now: number): number | undefined {
    const due = Math.max(state, now);
    return due - now > this.#tolerance ? undefined : due + this.#interval;
  }
}
