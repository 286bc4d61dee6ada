import type { Lease } from '../lease.ts';
import { Pace } from './pace.ts';

/** Packets a second; a burst of twice as many is let through. */
export interface Limits {
  perClient: number;
  unknownClients: number;
}

/**
 * A client takes four packets to boot, firmware and operating system together some twenty. Strangers get no answer either
 * way: theirs is how many are told to the observer one by one.
 */
const DEFAULT_LIMITS: Limits = { perClient: 50, unknownClients: 100 };
/**
 * ms for which times are counted from one moment. V8 keeps whole numbers of this size in the map itself; any other number
 * is an object, and one for each packet would stay until the next full collection: megabytes in a storm.
 */
const EPOCH = 2 ** 30;

/**
 * Holds back those who ask too often, each known client by itself and all strangers together: no matter how many they
 * are, they cost a map miss, and take up nothing.
 */
export class PacketLimits {
  readonly #client: Pace;
  readonly #stranger: Pace;
  /** Whole ms since `#since`, by the lease, so that there are never more than leases; a change of it starts afresh. */
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

  /** Whether one that is not answered is told of. */
  tellsOfStranger(now: number): boolean {
    const next = this.#stranger.next(this.#strangers, now);
    if (next === undefined) return false;
    this.#strangers = next;
    return true;
  }

  /** Everybody starts afresh, which in twelve days does no harm. */
  #begin(now: number): void {
    this.#clients = new WeakMap();
    this.#since = now;
  }
}
