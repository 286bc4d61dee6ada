import {
  addressSpaceOf,
  formatIpv4,
  leaseName,
  networkLabel,
  parseIpv4,
  type IPLease,
  type IPPool,
  type Ipv4,
  type AddressSpace,
} from '../../api/index.ts';
import { keyOf, type Change } from '@groundcrew/controller-runtime';
import { BY_POOL, networkLabelOf, networkOfPool, poolOf, type NetworkCaches } from '../networks/index.ts';
import type { Newest } from './newest.ts';
import { PoolAddresses } from './pool-addresses.ts';

interface PoolStatesOptions {
  /** The newest known leases of this process. */
  leases: Newest<IPLease>;
  caches: Pick<NetworkCaches, 'leases' | 'pools' | 'poolsOn'>;
}

/** The states of all pools in use, updated as leases come and go. */
export class PoolStates {
  readonly #options: PoolStatesOptions;
  /** By namespace and name of the pool. */
  readonly #states = new Map<string, PoolState>();
  /** Keys of #states by network label. */
  readonly #byNetwork = new Map<string, Set<string>>();

  constructor(options: PoolStatesOptions) {
    this.#options = options;
    options.caches.leases.subscribe((change) => {
      this.#leaseChanged(change);
    });
    options.caches.pools.subscribe(({ type, object }) => {
      if (type === 'deleted') this.#forget(keyOf(object.metadata));
    });
  }

  /** Undefined for a pool that is gone, has no addresses, or whose spec is invalid. */
  of(given: IPPool): PoolState | undefined {
    const pool = this.#current(given);
    if (pool === undefined) return undefined;
    const key = keyOf(pool.metadata);
    const before = this.#states.get(key);
    const { uid, generation } = pool.metadata;
    const pools = this.#poolsOf(pool);
    const neighbours = pools
      .map(({ metadata }) => metadata.uid)
      .toSorted()
      .join();
    if (before?.uid === uid && before?.generation === generation && before?.neighbours === neighbours) return before;
    this.#forget(key);
    const { space } = addressSpaceOf(pool.spec);
    if (space === undefined) return undefined;
    const { leased, latest } = this.#leasedOn(pool, pools);
    const state = new PoolState(pool, { space, leased, neighbours }, before);
    const last = before !== undefined && before.uid === uid ? before.addresses.last : latest;
    if (last !== undefined) state.addresses.continueAfter(last);
    this.#states.set(key, state);
    const keys = this.#byNetwork.get(state.network) ?? new Set();
    this.#byNetwork.set(state.network, keys.add(key));
    return state;
  }

  /** Whether the cache has a lease of the address in the pool or in another pool of its network. */
  isLeased(pool: IPPool, address: Ipv4): boolean {
    const { leases } = this.#options.caches;
    return this.#poolsOf(pool).some(({ metadata: { namespace = '', name } }) => {
      return leases.get({ namespace, name: leaseName(name, formatIpv4(address)) }) !== undefined;
    });
  }

  /** The caller may have an old copy of the pool; use the current one, so that newly excluded addresses are not leased. */
  #current(given: IPPool): IPPool | undefined {
    const { pools } = this.#options.caches;
    const cached = pools.get(given.metadata);
    if (cached?.metadata.uid !== given.metadata.uid) return pools.hasSynced ? undefined : given;
    return (cached?.metadata.generation ?? 0) > (given.metadata.generation ?? 0) ? cached : given;
  }

  #forget(key: string): void {
    const state = this.#states.get(key);
    if (state === undefined) return;
    this.#states.delete(key);
    const keys = this.#byNetwork.get(state.network);
    keys?.delete(key);
    if (keys?.size === 0) this.#byNetwork.delete(state.network);
  }

  /** The leased addresses of the network, and the pool's most recently leased address. */
  #leasedOn(pool: IPPool, pools: readonly IPPool[]): { leased: Set<Ipv4>; latest: Ipv4 | undefined } {
    const leased = new Set<Ipv4>();
    let latest: { address: Ipv4; created: string } | undefined;
    for (const { metadata } of pools) {
      const { namespace = '', name } = metadata;
      const prefix = leaseName(name, '');
      const isItsOwn = (lease: IPLease): boolean =>
        lease.metadata.namespace === namespace && lease.metadata.name === prefix + lease.spec.ipAddress;
      for (const lease of this.#options.leases.find(BY_POOL, keyOf({ namespace, name }), isItsOwn)) {
        const address = parseIpv4(lease.spec.ipAddress);
        if (address === undefined) continue;
        leased.add(address);
        const { creationTimestamp: created = '' } = lease.metadata;
        const isPools = name === pool.metadata.name && namespace === pool.metadata.namespace;
        if (isPools && (latest === undefined || created >= latest.created)) latest = { address, created };
      }
    }
    return { leased, latest: latest?.address };
  }

  /** All pools that may serve its network: a lease of one pool may be in another's range. */
  #poolsOf(pool: IPPool): readonly IPPool[] {
    const known = this.#options.caches.poolsOn(networkOfPool(pool));
    return known.some(({ metadata }) => metadata.uid === pool.metadata.uid) ? known : [...known, pool];
  }

  #leaseChanged({ type, object: lease }: Change<IPLease>): void {
    if (type === 'modified') return;
    const address = parseIpv4(lease.spec.ipAddress);
    if (address === undefined) return;
    for (const key of this.#byNetwork.get(networkLabelOf(lease)) ?? []) {
      const state = this.#states.get(key);
      // A pool that may not serve the network takes no addresses from those that may.
      if (state === undefined || !this.#isNeighbour(lease, state)) continue;
      state.settle(address);
      if (type === 'added') state.addresses.take(address);
      else if (!this.#isStillLeased(key, address)) state.addresses.release(address);
    }
  }

  #isNeighbour(lease: IPLease, { neighbours }: PoolState): boolean {
    const pool = this.#options.caches.pools.get(poolOf(lease));
    // The lease may be seen before its pool, or after it.
    return pool === undefined || neighbours.split(',').includes(pool.metadata.uid ?? '');
  }

  /** Whether a lease in another pool of the network still has the address. */
  #isStillLeased(poolKey: string, address: Ipv4): boolean {
    const slash = poolKey.indexOf('/');
    const pool = this.#options.caches.pools.get({ namespace: poolKey.slice(0, slash), name: poolKey.slice(slash + 1) });
    return pool !== undefined && this.isLeased(pool, address);
  }
}

/** Milliseconds for which an address counts as taken although no cache has a lease of it. */
const DOUBT_AFTER = 10_000;

interface Surroundings {
  space: AddressSpace;
  /** Addresses of all leases of the network. */
  leased: Iterable<Ipv4>;
  /** UIDs of the pools of the network. */
  neighbours: string;
}

/** What this process knows of a pool's addresses, for one generation of its spec. */
export class PoolState {
  readonly uid: string | undefined;
  readonly generation: number | undefined;
  /** Value of the leases' network label. */
  readonly network: string;
  readonly addresses: PoolAddresses;
  /** UIDs of the pools whose leases are taken into account. */
  readonly neighbours: string;
  /** Addresses of creates that got no answer, by MAC address; they are tried again. */
  readonly unanswered: Map<string, Ipv4>;
  /**
   * Addresses that are taken by the server's answer, or whose create got no answer, with the time, oldest first. The
   * cache may never report a deletion of their lease.
   */
  readonly #doubted: Map<Ipv4, number>;

  /** @param before the state for an earlier spec, or of an earlier pool of that name */
  constructor(pool: IPPool, { space, leased, neighbours }: Surroundings, before: PoolState | undefined) {
    this.uid = pool.metadata.uid;
    this.generation = pool.metadata.generation;
    this.network = networkLabelOfPool(pool);
    this.neighbours = neighbours;
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

/** The label of the network of a pool. */
export function networkLabelOfPool(pool: IPPool): string {
  return networkLabel(networkOfPool(pool));
}
