import {
  formatIpv4,
  IP_LEASES,
  isReleased,
  LABELS,
  leaseName,
  IP_POOLS,
  type IPLease,
  type IPPool,
  type Ipv4,
  type IPLeaseSpec,
} from '../../api/index.ts';
import {
  ApiError,
  isAlreadyExists,
  apiVersionOf,
  type Clock,
  type KubeClient,
  type Draft,
} from '@groundcrew/controller-runtime';
import type { NetworkCaches } from '../networks/index.ts';
import { HolderCount } from './holder-count.ts';
import { Newest } from './newest.ts';
import type { PoolAddresses } from './pool-addresses.ts';
import { networkLabelOfPool, PoolStates, type PoolState } from './pool-states.ts';

export interface IpamOptions {
  client: KubeClient;
  caches: Pick<NetworkCaches, 'leases' | 'pools' | 'poolsOn'>;
  clock: Clock;
  /** Addresses that the configs of one namespace may have; undefined: no limit. */
  addressesPerNamespace?: number | undefined;
}

/** The result of a request for an address. */
export type Allocation =
  | { outcome: 'Leased'; lease: IPLease }
  /** The pool has no free address; with the milliseconds after which one may become free without a notification. */
  | { outcome: 'Full'; lookAgain?: number }
  /** The address is leased; `by` is its lease, if known. */
  | { outcome: 'InUse'; by?: IPLease }
  /** The namespace has as many addresses as it may have. */
  | { outcome: 'QuotaExceeded'; most: number }
  /** Other managers won repeatedly: try later. */
  | { outcome: 'Contended' };

/** Number of creates with a taken address before the work is left to a later call. */
const MOST_ATTEMPTS = 16;

/**
 * Allocates addresses. It selects them from a map in memory, built from the cache of leases, which may be behind.
 * Uniqueness is ensured only by the API server, which rejects a second create of the same name. So any number of
 * instances may run at once, each with a stale cache.
 */
export class Ipam {
  /** The newest known leases of this process. */
  readonly leases: Newest<IPLease>;
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #states: PoolStates;
  readonly #quota: { most: number; held: HolderCount } | undefined;
  /** Creates in progress, by namespace. */
  readonly #creating = new Map<string, number>();

  constructor({ client, caches, clock, addressesPerNamespace }: IpamOptions) {
    this.#client = client;
    this.#clock = clock;
    this.leases = new Newest(caches.leases, clock);
    this.#states = new PoolStates({ leases: this.leases, caches });
    if (addressesPerNamespace !== undefined)
      this.#quota = { most: addressesPerNamespace, held: new HolderCount(this.leases, caches.leases) };
  }

  /** The addresses of a pool by its current spec; undefined if it has none or its spec is invalid. */
  addressesOf(pool: IPPool): PoolAddresses | undefined {
    return this.#states.of(pool)?.addresses;
  }

  /** The lease of an address, in any pool of the network; released leases included. */
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
   * @param preferred used if it is free
   * @throws ApiError, TransportError
   */
  async allocate(pool: IPPool, holder: Holder, preferred?: Ipv4): Promise<Allocation> {
    const unanswered = this.#states.of(pool)?.unanswered.get(holder.macAddress);
    if (unanswered !== undefined && this.addressesOf(pool)?.isLeasable(unanswered) === true) {
      const allocation = await this.claim(pool, unanswered, holder);
      if (allocation.outcome === 'Leased') return allocation;
    }
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const state = this.#states.of(pool);
      // The pool is gone or has changed since it was evaluated.
      if (state === undefined) return { outcome: 'Contended' };
      const isPreferred = attempt === 0 && preferred !== undefined && state.addresses.take(preferred);
      const address = isPreferred ? preferred : this.#next(pool, state);
      if (address === undefined) return full(state.lookAgain(this.#clock.now()));
      const allocation = await this.#create(pool, state, address, holder);
      if (allocation.outcome === 'Leased' || allocation.outcome === 'QuotaExceeded') return allocation;
    }
    return { outcome: 'Contended' };
  }

  /**
   * Leases exactly that address. The caller checks that it may be leased.
   *
   * @throws ApiError, TransportError
   */
  async claim(pool: IPPool, address: Ipv4, holder: Holder): Promise<Allocation> {
    const state = this.#states.of(pool);
    if (state === undefined) return { outcome: 'Contended' };
    return await this.#create(pool, state, address, holder, state.addresses.take(address));
  }

  #next(pool: IPPool, state: PoolState): Ipv4 | undefined {
    return state.takeNext((address) => this.#states.isLeased(pool, address), this.#clock.now());
  }

  /** @param isTakenNow whether the address was taken in the map for this create; a failure then releases it */
  async #create(pool: IPPool, state: PoolState, address: Ipv4, holder: Holder, isTakenNow = true): Promise<Allocation> {
    const { macAddress, vmNetworkConfigRef: { namespace = '' } = {} } = holder;
    const creating = this.#creating.get(namespace) ?? 0;
    if (this.#quota !== undefined && this.#quota.held.of(namespace) + creating >= this.#quota.most) {
      if (isTakenNow) state.addresses.release(address);
      return { outcome: 'QuotaExceeded', most: this.#quota.most };
    }
    this.#creating.set(namespace, creating + 1);
    try {
      const lease = await this.#client.create(IP_LEASES, leaseDraft(pool, address, holder));
      state.unanswered.delete(macAddress);
      state.settle(address);
      this.leases.note(lease);
      return { outcome: 'Leased', lease };
    } catch (error) {
      if (isAlreadyExists(error)) {
        state.unanswered.delete(macAddress);
        return await this.#taken(pool, state, address, holder);
      }
      if (isUnanswered(error)) {
        // The create may have succeeded; a repeated create will tell. The caller may never repeat it.
        state.unanswered.set(macAddress, address);
        state.doubt(address, this.#clock.now());
      } else if (isTakenNow) {
        state.addresses.release(address);
      }
      throw error;
    } finally {
      const left = (this.#creating.get(namespace) ?? 1) - 1;
      if (left === 0) this.#creating.delete(namespace);
      else this.#creating.set(namespace, left);
    }
  }

  /** The name exists already, possibly from an earlier create of this manager that got no answer. */
  async #taken(pool: IPPool, state: PoolState, address: Ipv4, holder: Holder): Promise<Allocation> {
    state.doubt(address, this.#clock.now());
    const by = await this.#client.find(IP_LEASES, {
      namespace: pool.metadata.namespace ?? '',
      name: leaseName(pool.metadata.name, formatIpv4(address)),
    });
    if (by === undefined) {
      state.settle(address);
      state.addresses.release(address);
      return { outcome: 'InUse' };
    }
    this.leases.note(by);
    return isFor(by, holder) ? { outcome: 'Leased', lease: by } : { outcome: 'InUse', by };
  }
}

function full(lookAgain: number | undefined): Allocation {
  return { outcome: 'Full', ...(lookAgain === undefined ? {} : { lookAgain }) };
}

/** No answer, or one that does not tell whether the create succeeded. */
function isUnanswered(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status >= 500;
}

function isFor(lease: IPLease, { macAddress, vmNetworkConfigRef: ref }: Holder): boolean {
  const { metadata, spec } = lease;
  const { vmNetworkConfigRef: theirs } = spec;
  return (
    spec.macAddress === macAddress &&
    theirs !== undefined &&
    theirs.namespace === ref?.namespace &&
    theirs.name === ref?.name &&
    metadata.deletionTimestamp === undefined &&
    !isReleased(lease)
  );
}

/** The holder of a lease. */
export type Holder = Omit<IPLeaseSpec, 'ipAddress' | 'boot'>;

/** A lease to be created: it is named after the address and owned by its pool. */
export function leaseDraft(pool: IPPool, address: Ipv4, holder: Holder): Draft<IPLease> {
  const ipAddress = formatIpv4(address);
  const { namespace = '', name, uid = '' } = pool.metadata;
  return {
    apiVersion: apiVersionOf(IP_POOLS),
    kind: 'IPLease',
    metadata: {
      namespace,
      name: leaseName(name, ipAddress),
      labels: { [LABELS.ipPool]: name, [LABELS.network]: networkLabelOfPool(pool) },
      ownerReferences: [{ apiVersion: apiVersionOf(IP_POOLS), kind: IP_POOLS.kind, name, uid, controller: true }],
    },
    spec: { ipAddress, ...holder },
  };
}
