import type { AddressSpace, IPPool, Ipv4 } from '../../api/index.ts';
import { networkLabelOfPool } from './lease-draft.ts';
import { PoolAddresses } from './pool-addresses.ts';

/** Milliseconds after which an address is doubted to be taken, of which no cache has told that it is. */
const DOUBT_AFTER = 10_000;

/** What this process knows of a pool's addresses, by one generation of its spec. */
export class PoolState {
  readonly uid: string | undefined;
  readonly generation: number | undefined;
  /** As the label of leases has it. */
  readonly network: string;
  readonly addresses: PoolAddresses;
  /** Addresses asked for in creates that were never answered, by MAC address: they are asked for again. */
  readonly unanswered: Map<string, Ipv4>;
  /**
   * Addresses that the server said are taken, or of which it never answered, and since when, the oldest first: no lease
   * in the cache may ever tell of their end.
   */
  readonly #doubted: Map<Ipv4, number>;

  /**
   * @param leased addresses of all leases of the network
   * @param before of the pool by an earlier spec, or of an earlier pool of its name
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

  /** Takes note that an address seems to be taken, though no cache tells of it. */
  doubt(address: Ipv4, now: number): void {
    this.#doubted.delete(address);
    this.#doubted.set(address, now);
  }

  /** Takes note that a lease is known to have the address, or none to have it. */
  settle(address: Ipv4): void {
    this.#doubted.delete(address);
  }

  /**
   * A free address, taken. Where there is none, those that have been doubted for long are free if nobody has them by the
   * cache: at worst a create is refused once more.
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

  /** Milliseconds after which an address may turn out to be free without anything that tells of it. */
  lookAgain(now: number): number | undefined {
    const [oldest] = this.#doubted.values();
    return oldest === undefined ? undefined : Math.max(1, oldest + DOUBT_AFTER - now);
  }
}
