import { byPrecedence, standingOf, type IPPool } from '../../api/index.ts';
import type { Ipam } from '../ipam/index.ts';
import { networkOfPool, type NetworkCaches } from '../networks/index.ts';
import type { PoolInputs } from './inputs.ts';

interface Known {
  /** Identifies the state of all objects that determine the order. */
  stamp: string;
  pools: readonly PoolInputs[];
}

/**
 * The pools that may serve each network, by precedence, with their standing. Thousands of configs use the pools of one network, so
 * they are evaluated only once per change of a pool's spec.
 */
export class PoolOrder {
  readonly #caches: Pick<NetworkCaches, 'pools' | 'poolsOn'>;
  readonly #ipam: Ipam;
  readonly #known = new Map<string, Known>();

  constructor(caches: Pick<NetworkCaches, 'pools' | 'poolsOn'>, ipam: Ipam) {
    this.#caches = caches;
    this.#ipam = ipam;
    caches.pools.subscribe(({ type, object }) => {
      // The network may never be requested again.
      if (type === 'deleted') this.#known.delete(networkOfPool(object));
    });
  }

  /** @param network `namespace/name` of a net-attach-def */
  of(network: string): readonly PoolInputs[] {
    const pools = this.#caches.poolsOn(network);
    const stamp = pools.map(stampOf).toSorted().join();
    const before = this.#known.get(network);
    if (before?.stamp === stamp) return before.pools;
    const sorted = pools.toSorted(byPrecedence);
    const known = { stamp, pools: sorted.map((pool) => this.#evaluate(pool, sorted)) };
    if (pools.length === 0) this.#known.delete(network);
    else this.#known.set(network, known);
    return known.pools;
  }

  #evaluate(pool: IPPool, pools: readonly IPPool[]): PoolInputs {
    const addresses = this.#ipam.addressesOf(pool);
    if (addresses === undefined) return { pool, standing: 'Invalid' };
    const standing = standingOf(pool, pools);
    if (pool.metadata.deletionTimestamp !== undefined) return { pool, standing: 'Ends', addresses };
    if (!standing.holds)
      return {
        pool,
        standing: 'Collides',
        addresses,
        ...(standing.conflict === undefined ? {} : { conflict: standing.conflict }),
      };
    return { pool, standing: pool.spec.paused === true ? 'Paused' : 'Gives', addresses };
  }
}

function stampOf({ metadata: { uid = '', generation = 0, deletionTimestamp = '' } }: IPPool): string {
  return `${uid}/${generation}/${deletionTimestamp}`;
}
