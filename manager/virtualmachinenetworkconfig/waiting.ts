import { parseIpv4, type IPLease, type Ipv4 } from '../../api/index.ts';
import { keyOf, type Cache, type ObjectRef, type Source } from '@groundcrew/controller-runtime';
import { networkLabelOf } from '../networks/index.ts';

/** Something that a config waits for: any address of a network, or that one. */
export interface WaitsFor {
  /** As the label of leases has it. */
  network: string;
  address?: Ipv4;
}

/**
 * The configs that wait for an address, in the order in which they came. An address that becomes free wakes the first of
 * its network, and one that leaves the row wakes the next: so it goes on for as long as there is something to give, and a
 * thousand that wait do no work meanwhile.
 */
export class Waiting implements Source {
  readonly #leases: Cache<IPLease>;
  /** Rows by network, and by network and address. */
  readonly #rows = new Map<string, Map<string, ObjectRef>>();
  /** The rows that a config is in. */
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
   * Grows with each address that becomes free. One that was told that there is none, and has come into a row only after
   * the next had become free, was not woken for it: so who has been looking compares what this was before.
   */
  get freed(): number {
    return this.#freedSoFar;
  }

  /** How many configs wait. */
  get size(): number {
    return this.#places.size;
  }

  /** Whether another config than this one would be given the address if it became free. */
  isAwaited(network: string, address: Ipv4, ref: ObjectRef): boolean {
    const key = keyOf(ref);
    const rows = [this.#rows.get(rowKey(network)), this.#rows.get(rowKey(network, address))];
    return rows.some((row) => row !== undefined && [...row.keys()].some((other) => other !== key));
  }

  /** Says what a config waits for now: nothing, where it has all, or is gone. Its place in a row stays its own. */
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
