import type { AddressSpace, IPPool, Ipv4 } from '../../api/index.ts';
import { networkLabelOfPool } from './lease-draft.ts';
import { PoolAddresses } from './pool-addresses.ts';

/** Milliseconds for which an address counts as taken although no cache has a lease of it. */
const DOUBT_AFTER = 10_000;

/** What this process knows of a pool's addresses, for one generation of its spec. */
export class PoolState {
  readonly uid: string | undefined;
  readonly generation: number | undefined;
  /** Value of the leases' network label. */
  readonly network: string;
  readonly addresses: PoolAddresses;
  /** Addresses of creates that got no answer, by MAC address; they are tried again. */
  readonly unanswered: Map<string, Ipv4>;
  /**
   * Addresses that are taken by the server's answer, or whose create got no answer, with the time, oldest first. The
   * cache may never report a deletion of their lease.
   */
  readonly #doubted: Map<Ipv4, number>;

  /**
   * @param leased addresses of all leases of the network
   * @param before the state for an earlier spec, or of an earlier pool of that name
   */
  constructor(pool: IPPool, space: AddressSpace, leased: Iterable<Ipv4>, before: PoolState | undefined) {
    this.uid = pool.metadata.uid;
    this.generation = pool.metadata.generation;
    this.network = networkLabelOfPool(pool);
    this.addresses = new PoolAddresses(pool, space, leased);
    this.unanswered = before?.unanswered ?? new Map<string, Ipv4>();
    this.#doubted = before === undefined ? new Map<Ipv4, number>() : before.#doubted;
    for (const address of this.#doubted.keys()) this.addresses.take(address);
  }

  /** Records that an address seems to be taken although no cache has a lease of it. */
  doubt(address: Ipv4, now: number): void {
    this.#doubted.delete(address);
    this.#doubted.set(address, now);
  }

  /** Records that it is known whether the address has a lease. */
  settle(address: Ipv4): void {
    this.#doubted.delete(address);
  }

  /**
   * Takes a free address. If all are taken, addresses doubtful for long are released unless the cache has a lease of
   * them; at worst a create is rejected once more.
   */
  takeNext(isLeased: (address: Ipv4) => boolean, now: number): Ipv4 | undefined {
    const next = this.addresses.takeNext();
    if (next !== undefined || this.#doubted.size === 0) return next;
    const settled = new Set<Ipv4>();
    for (const [address, since] of this.#doubted) {
      if (since + DOUBT_AFTER > now) break;
      settled.add(address);
      this.#doubted.delete(address);
      if (!isLeased(address)) this.addresses.release(address);
    }
    for (const [mac, address] of this.unanswered) if (settled.has(address)) this.unanswered.delete(mac);
    return this.addresses.takeNext();
  }

  /** Milliseconds after which an address may become free without a notification. */
  lookAgain(now: number): number | undefined {
    const [oldest] = this.#doubted.values();
    return oldest === undefined ? undefined : Math.max(1, oldest + DOUBT_AFTER - now);
  }
}
