import { IP_POOLS, LABELS, networkLabel, type IPPool } from '../../../api/index.ts';
import {
  CachedWatch,
  keyOf,
  type Clock,
  type KubeClient,
  type Logger,
  type OpenWatch,
} from '@groundcrew/controller-runtime';
import { trimmedPool } from '../pools/index.ts';
import { isFresh } from './freshness.ts';
import { LeaseReader } from './lease-reader.ts';
import type { LeaseTable } from './lease-table.ts';
import { LeaseWatch } from './lease-watch.ts';
import type { PoolTable } from './pool-table.ts';

export interface ClusterLeasesOptions {
  client: KubeClient;
  /** `namespace/name` of the net-attach-def. */
  network: string;
  /** Those that have pools of the network. */
  namespaces: readonly string[];
  pools: PoolTable;
  leases: LeaseTable;
  clock: Clock;
  random?: () => number;
  logger: Logger;
}

/** A watch of either kind. */
interface Watch {
  readonly kind: { readonly plural: string };
  readonly hasSynced: boolean;
  readonly openWatch: OpenWatch | undefined;
  readonly heard: number | undefined;
  run(signal: AbortSignal): Promise<void>;
  synced(): Promise<void>;
}

/**
 * Feeds the tables from the API server. What they held before, from a snapshot, is replaced as what the API server has
 * comes in.
 */
export class ClusterLeases {
  readonly #options: ClusterLeasesOptions;
  readonly #pools: readonly CachedWatch<IPPool>[];
  readonly #watches: readonly Watch[];

  constructor(options: ClusterLeasesOptions) {
    const { client, clock, random = Math.random, logger, network, namespaces, pools, leases } = options;
    this.#options = options;
    const common = { client, clock, logger, random };
    this.#pools = namespaces.map(
      (namespace) => new CachedWatch({ ...common, kind: IP_POOLS, namespace, transform: trimmedPool }),
    );
    for (const watch of this.#pools) {
      watch.subscribe(({ type, object }) => {
        if (type === 'deleted') pools.remove(keyOf(object.metadata));
        else pools.put(object);
      });
    }
    const labelSelector = `${LABELS.network}=${networkLabel(network)},!${LABELS.released}`;
    const reader = new LeaseReader();
    this.#watches = [
      ...this.#pools,
      ...namespaces.map((namespace) => new LeaseWatch({ ...common, namespace, labelSelector, leases, reader })),
    ];
  }

  /** Whether all is in that there was at the start. */
  get hasSynced(): boolean {
    return this.#watches.every(({ hasSynced }) => hasSynced);
  }

  get isFresh(): boolean {
    const watches = this.#watches.map(({ openWatch }) => openWatch);
    return this.hasSynced && isFresh(watches, this.#options.clock.now());
  }

  /** Milliseconds since the API server was last heard on the quietest of the watches; undefined: not on all of them yet. */
  get age(): number | undefined {
    const heard = this.#watches.map(({ openWatch, heard }) => openWatch?.heard ?? heard ?? Number.NaN);
    const age = this.#options.clock.now() - Math.min(...heard);
    return Number.isNaN(age) ? undefined : age;
  }

  /** What has not come yet: `ippools, ipleases`. */
  get missing(): string {
    const missing = this.#watches.filter(({ hasSynced }) => !hasSynced).map(({ kind }) => kind.plural);
    return [...new Set(missing)].join(', ');
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#watches.map((watch) => watch.run(signal)));
  }

  /** Resolves when all is in, and the tables hold that and no more. */
  async synced(): Promise<void> {
    await Promise.all(this.#watches.map((watch) => watch.synced()));
    const { pools } = this.#options;
    const listed = this.#pools.flatMap((watch) => watch.list());
    // A snapshot may have been put over those that came first.
    for (const pool of listed) pools.put(pool);
    const present = new Set(listed.map(({ metadata }) => keyOf(metadata)));
    for (const key of [...pools.pools.keys()]) if (!present.has(key)) pools.remove(key);
  }
}
