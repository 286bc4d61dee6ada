import {
  formatIpv4,
  IP_LEASES,
  LABELS,
  leaseName,
  networkKey,
  parseIpv4,
  type IPLease,
  type IPPool,
  type Ipv4,
} from '../../api/index.ts';
import {
  ApiError,
  isAlreadyExists,
  keyOf,
  type Cache,
  type Change,
  type Clock,
  type KubeClient,
} from '../../kube/index.ts';
import { addressSpaceOf, BY_NETWORK, BY_POOL, networkLabelOf } from '../networks/index.ts';
import { leaseDraft, networkLabelOfPool, type Holder } from './lease-draft.ts';
import { Newest } from './newest.ts';
import { PoolAddresses } from './pool-addresses.ts';

export interface IpamOptions {
  client: KubeClient;
  leases: Cache<IPLease>;
  pools: Cache<IPPool>;
  clock: Clock;
}

/** What became of a wish for an address. */
export type Allocation =
  | { outcome: 'Leased'; lease: IPLease }
  /** The pool has no free address. */
  | { outcome: 'Full' }
  /** Somebody has that address; `by` where it is known. */
  | { outcome: 'InUse'; by?: IPLease }
  /** Others were faster, again and again: try later. */
  | { outcome: 'Contended' };

/** Creates of which each finds its address taken, before it is left to a later call. */
const MOST_ATTEMPTS = 16;
/** Milliseconds after which an address that was found taken, and of which no cache has told, is doubted. */
const DOUBT_AFTER = 10_000;

interface PoolState {
  uid: string | undefined;
  generation: number | undefined;
  network: string;
  addresses: PoolAddresses;
  /** Addresses that the server said are taken, and when: no lease in the cache may ever tell of their end. */
  refused: Map<Ipv4, number>;
}

/**
 * Gives addresses away. Which address, it takes from a map in memory that is built from the cache of leases and may be
 * behind; that nobody else has it, from the API server alone, which refuses the second create of a name. So any number of
 * these may be at work, each with a cache as old as it likes.
 */
export class Ipam {
  /** Leases as this process knows them. */
  readonly leases: Newest<IPLease>;
  readonly #client: KubeClient;
  readonly #cache: Cache<IPLease>;
  readonly #pools: Cache<IPPool>;
  readonly #clock: Clock;
  /** By namespace and name of the pool. */
  readonly #states = new Map<string, PoolState>();
  /** Addresses asked for in creates that were never answered, by pool and MAC address: they are asked for again. */
  readonly #unanswered = new Map<string, Ipv4>();

  constructor({ client, leases, pools, clock }: IpamOptions) {
    this.#client = client;
    this.#cache = leases;
    this.#pools = pools;
    this.#clock = clock;
    this.leases = new Newest(leases, clock);
    leases.subscribe((change) => {
      this.#leaseChanged(change);
    });
    pools.subscribe(({ type, object }) => {
      if (type === 'deleted') this.#states.delete(keyOf(object.metadata));
    });
  }

  /** The addresses of a pool as its spec is now; undefined for a pool that has none, or whose spec makes no sense. */
  addressesOf(pool: IPPool): PoolAddresses | undefined {
    return this.#stateOf(pool)?.addresses;
  }

  /** The lease that has an address, in whichever pool of the network; one that was released has it still. */
  leaseAt(pools: readonly IPPool[], address: Ipv4): IPLease | undefined {
    for (const { metadata } of pools) {
      const lease = this.leases.get({
        namespace: metadata.namespace ?? '',
        name: leaseName(metadata.name, formatIpv4(address)),
      });
      if (lease !== undefined) return lease;
    }
    return undefined;
  }

  /**
   * Leases a free address of a pool.
   *
   * @param preferred taken where it is free
   * @throws ApiError, TransportError
   */
  async allocate(pool: IPPool, holder: Holder, preferred?: Ipv4): Promise<Allocation> {
    const state = this.#stateOf(pool);
    if (state === undefined) return { outcome: 'Full' };
    const unanswered = this.#unanswered.get(unansweredKey(pool, holder));
    if (unanswered !== undefined) {
      const allocation = await this.claim(pool, unanswered, holder);
      if (allocation.outcome === 'Leased') return allocation;
    }
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const isPreferred = attempt === 0 && preferred !== undefined && state.addresses.take(preferred);
      const address = isPreferred ? preferred : this.#next(pool, state);
      if (address === undefined) return { outcome: 'Full' };
      const allocation = await this.#create(pool, address, holder, true);
      if (allocation.outcome === 'Leased') return allocation;
    }
    return { outcome: 'Contended' };
  }

  /**
   * Leases that address and no other. Whether it may be leased is the caller's to judge.
   *
   * @throws ApiError, TransportError
   */
  async claim(pool: IPPool, address: Ipv4, holder: Holder): Promise<Allocation> {
    const isTakenNow = this.#stateOf(pool)?.addresses.take(address) === true;
    return await this.#create(pool, address, holder, isTakenNow);
  }

  /** @param isTakenNow whether the address has been taken in the map for this create, which gives it back where it fails */
  async #create(pool: IPPool, address: Ipv4, holder: Holder, isTakenNow: boolean): Promise<Allocation> {
    const state = this.#stateOf(pool);
    const draft = leaseDraft(pool, address, holder);
    const unanswered = unansweredKey(pool, holder);
    try {
      const lease = await this.#client.create(IP_LEASES, draft);
      this.#unanswered.delete(unanswered);
      this.leases.note(lease);
      return { outcome: 'Leased', lease };
    } catch (error) {
      if (isAlreadyExists(error)) {
        this.#unanswered.delete(unanswered);
        return await this.#taken(pool, address, holder, state);
      }
      // It may have been done all the same; asked for again, the answer tells.
      if (isUnanswered(error)) this.#unanswered.set(unanswered, address);
      else if (isTakenNow) state?.addresses.release(address);
      throw error;
    }
  }

  /** Somebody has the name already; a create of ours that was not answered may be who. */
  async #taken(pool: IPPool, address: Ipv4, holder: Holder, state: PoolState | undefined): Promise<Allocation> {
    const by = await this.#client.find(IP_LEASES, {
      namespace: pool.metadata.namespace ?? '',
      name: leaseName(pool.metadata.name, formatIpv4(address)),
    });
    if (by === undefined) {
      state?.addresses.release(address);
      return { outcome: 'InUse' };
    }
    state?.refused.set(address, this.#clock.now());
    this.leases.note(by);
    return isFor(by, holder) ? { outcome: 'Leased', lease: by } : { outcome: 'InUse', by };
  }

  #next(pool: IPPool, state: PoolState): Ipv4 | undefined {
    const next = state.addresses.takeNext();
    if (next !== undefined || state.refused.size === 0) return next;
    const patience = this.#clock.now() - DOUBT_AFTER;
    for (const [address, at] of state.refused) {
      if (at > patience) continue;
      state.refused.delete(address);
      if (this.leaseAt(this.#poolsOf(pool), address) === undefined) state.addresses.release(address);
    }
    return state.addresses.takeNext();
  }

  #stateOf(pool: IPPool): PoolState | undefined {
    const key = keyOf(pool.metadata);
    const before = this.#states.get(key);
    const { uid, generation } = pool.metadata;
    if (before !== undefined && before.uid === uid && before.generation === generation) return before;
    const { space } = addressSpaceOf(pool.spec);
    if (space === undefined) {
      this.#states.delete(key);
      return undefined;
    }
    const { leased, latest } = this.#leasedOn(pool);
    const addresses = new PoolAddresses(pool, space, leased);
    const last = before !== undefined && before.uid === uid ? before.addresses.last : latest;
    if (last !== undefined) addresses.continueAfter(last);
    for (const address of before?.refused.keys() ?? []) addresses.take(address);
    const refused = before?.refused ?? new Map<Ipv4, number>();
    const state = { uid, generation, network: networkLabelOfPool(pool), addresses, refused };
    this.#states.set(key, state);
    return state;
  }

  /** The addresses of the network that are leased, and which was leased last. */
  #leasedOn(pool: IPPool): { leased: Set<Ipv4>; latest: Ipv4 | undefined } {
    const leased = new Set<Ipv4>();
    let latest: { address: Ipv4; created: string } | undefined;
    for (const { metadata } of this.#poolsOf(pool)) {
      const { namespace = '', name } = metadata;
      const prefix = leaseName(name, '');
      const isItsOwn = (lease: IPLease): boolean =>
        lease.metadata.namespace === namespace && lease.metadata.name === prefix + lease.spec.ipAddress;
      for (const lease of this.leases.find(BY_POOL, keyOf({ namespace, name }), isItsOwn)) {
        const address = parseIpv4(lease.spec.ipAddress);
        if (address === undefined) continue;
        leased.add(address);
        const { creationTimestamp: created = '' } = lease.metadata;
        if (name === pool.metadata.name && (latest === undefined || created >= latest.created))
          latest = { address, created };
      }
    }
    return { leased, latest: latest?.address };
  }

  /** All pools of its network: a lease of one of them may lie in another's range. */
  #poolsOf(pool: IPPool): readonly IPPool[] {
    const { namespace = '' } = pool.metadata;
    const known = this.#pools.byIndex(BY_NETWORK, networkKey(pool.spec.networkName, namespace));
    return known.some(({ metadata }) => metadata.uid === pool.metadata.uid) ? known : [...known, pool];
  }

  #leaseChanged({ type, object: lease }: Change<IPLease>): void {
    if (type === 'modified') return;
    const address = parseIpv4(lease.spec.ipAddress);
    if (address === undefined) return;
    const network = networkLabelOf(lease);
    for (const [key, state] of this.#states) {
      if (state.network !== network) continue;
      state.refused.delete(address);
      if (type === 'added') state.addresses.take(address);
      else if (!this.#isLeased(key, address)) state.addresses.release(address);
    }
  }

  /** Whether a lease in another pool of the network has the address still. */
  #isLeased(poolKey: string, address: Ipv4): boolean {
    const pool = this.#pools.get(refFrom(poolKey));
    return (
      pool !== undefined && this.#poolsOf(pool).some((each) => this.#cache.get(leaseRef(each, address)) !== undefined)
    );
  }
}

function leaseRef({ metadata }: IPPool, address: Ipv4) {
  return { namespace: metadata.namespace ?? '', name: leaseName(metadata.name, formatIpv4(address)) };
}

function refFrom(key: string): { namespace: string; name: string } {
  const slash = key.indexOf('/');
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

function unansweredKey(pool: IPPool, { macAddress }: Holder): string {
  return `${keyOf(pool.metadata)} ${macAddress}`;
}

/** No answer, or one that leaves open whether it was done. */
function isUnanswered(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status >= 500;
}

function isFor({ metadata, spec }: IPLease, { macAddress, vmNetworkConfigRef: ref }: Holder): boolean {
  const { vmNetworkConfigRef: theirs } = spec;
  return (
    spec.macAddress === macAddress &&
    theirs !== undefined &&
    theirs.namespace === ref?.namespace &&
    theirs.name === ref?.name &&
    metadata.deletionTimestamp === undefined &&
    metadata.labels?.[LABELS.released] === undefined
  );
}
