import { parseIpv4, type IPLease, type Ipv4 } from '../../api/index.ts';
import { keyOf, type Cache, type ObjectRef, type Source } from '@groundcrew/controller-runtime';
import { networkLabelOf } from '../networks/index.ts';

/** What a config waits for: any address of a network, or that one. */
export interface WaitsFor {
  /** Value of the leases' network label. */
  network: string;
  address?: Ipv4;
}

/**
 * The configs that wait for an address, in order of arrival. A free address wakes the first config of its network, and
 * each config that leaves the queue wakes the next, until no address is left. The other waiting configs do no work.
 */
export class Waiting implements Source {
  readonly #leases: Cache<IPLease>;
  /** Queues by network, and by network and address. */
  readonly #rows = new Map<string, Map<string, ObjectRef>>();
  /** The queues of a config. */
  readonly #places = new Map<string, readonly string[]>();
  readonly #listeners = new Set<(ref: ObjectRef) => void>();
  #freedSoFar = 0;

  constructor(leases: Cache<IPLease>) {
    this.#leases = leases;
  }

  start(enqueue: (ref: ObjectRef) => void): () => void {
    this.#listeners.add(enqueue);
    const end = this.#leases.subscribe(({ type, object }) => {
      if (type === 'deleted') this.#freed(object);
    });
    return () => {
      this.#listeners.delete(enqueue);
      end();
    };
  }

  /**
   * Counts addresses that have become free. A config that found no address may enter a queue only after an address
   * became free, and is then not woken; it compares this count with the one from before its attempt.
   */
  get freed(): number {
    return this.#freedSoFar;
  }

  /** Number of waiting configs. */
  get size(): number {
    return this.#places.size;
  }

  /** Whether a config other than this one would get the address if it became free. */
  isAwaited(network: string, address: Ipv4, ref: ObjectRef): boolean {
    const key = keyOf(ref);
    const rows = [this.#rows.get(rowKey(network)), this.#rows.get(rowKey(network, address))];
    return rows.some((row) => row !== undefined && row.size > (row.has(key) ? 1 : 0));
  }

  /** Sets what a config waits for; empty if it has all addresses or is gone. Its position in a queue is kept. */
  put(ref: ObjectRef, wanted: readonly WaitsFor[]): void {
    const key = keyOf(ref);
    const before = this.#places.get(key) ?? [];
    const now = wanted.map(({ network, address }) => rowKey(network, address));
    for (const place of before) if (!now.includes(place)) this.#leave(place, key);
    for (const place of now) {
      const row = this.#rows.get(place) ?? new Map<string, ObjectRef>();
      this.#rows.set(place, row.has(key) ? row : row.set(key, ref));
    }
    if (now.length === 0) this.#places.delete(key);
    else this.#places.set(key, now);
  }

  #leave(place: string, key: string): void {
    const row = this.#rows.get(place);
    row?.delete(key);
    if (row?.size === 0) this.#rows.delete(place);
    else this.#wakeFirst(place);
  }

  #freed(lease: IPLease): void {
    this.#freedSoFar += 1;
    const network = networkLabelOf(lease);
    this.#wakeFirst(rowKey(network));
    this.#wakeFirst(rowKey(network, parseIpv4(lease.spec.ipAddress)));
  }

  #wakeFirst(place: string): void {
    const [first] = this.#rows.get(place)?.values() ?? [];
    if (first !== undefined) for (const listener of this.#listeners) listener(first);
  }
}

function rowKey(network: string, address?: Ipv4): string {
  return address === undefined ? network : `${network} ${address}`;
}
