import {
  CachedWatch,
  type Clock,
  keyOf,
  type KubeClient,
  type Logger,
  type OpenWatch,
  Reflector,
  type ReflectorOptions,
} from '@groundcrew/controller-runtime';
import { IP_LEASES, IP_POOLS, type IPLease, type IPPool, LABELS, networkLabel } from '../../../api/index.ts';
import { type PoolTable, trimmedPool } from '../pools/pool-table.ts';
import { LeaseReader, type LeaseRecord } from './lease-record.ts';
import type { LeaseTable } from './lease-table.ts';

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

/** Milliseconds: a watch that was resumed tells first of what was missed, which takes as long as it takes. */
const CATCH_UP = 1000;
/**
 * Milliseconds: more than the two minutes after which a silent watch is opened anew, since bookmarks are not guaranteed. Until then an agent whose
 * connection is dead may refuse what it should not: its client begins anew and gets its lease from another.
 */
const SILENCE = 130_000;

/**
 * Whether what came by watches is current: all of them stand, have stood for a second, and were opened or heard of late. A watch
 * whose connection breaks ends at once, and with it the freshness.
 */
export function isFresh(watches: readonly (OpenWatch | undefined)[], now: number): boolean {
  return watches.every(
    (watch) => watch !== undefined && now - watch.opened >= CATCH_UP && now - watch.heard <= SILENCE,
  );
}

export type LeaseWatchOptions = Pick<
  ReflectorOptions<IPLease, LeaseRecord>,
  'client' | 'clock' | 'random' | 'logger'
> & {
  namespace: string;
  labelSelector: string;
  leases: LeaseTable;
  reader: LeaseReader;
};

/** Leases asked for at a time: what a page leaves behind is what the process is larger by ever after. */
const PAGE_SIZE = 100;

/** Feeds the leases of one namespace into the table, which alone keeps them: a `CachedWatch` would do it once more. */
class LeaseWatch {
  readonly kind = IP_LEASES;
  readonly #reflector: Reflector<IPLease, LeaseRecord>;
  readonly #synced = Promise.withResolvers<undefined>();
  #hasSynced = false;

  constructor({ namespace, labelSelector, leases, reader, logger, ...reading }: LeaseWatchOptions) {
    this.#reflector = new Reflector({
      ...reading,
      kind: IP_LEASES,
      selection: { namespace, labelSelector },
      sink: {
        replace: (records) => {
          leases.replace(namespace, records);
          this.#hasSynced = true;
          this.#synced.resolve(undefined);
        },
        put: (record) => {
          leases.put(record);
        },
        delete: ({ key }) => {
          leases.remove(key);
        },
        absent: () => undefined,
      },
      trim: (lease) => reader.recordOf(lease),
      pageSize: PAGE_SIZE,
      logger: logger.child({ kind: IP_LEASES.kind }),
    });
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  get openWatch(): OpenWatch | undefined {
    return this.#reflector.openWatch;
  }

  get heard(): number | undefined {
    return this.#reflector.heard;
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#reflector.run(signal);
  }

  /** Resolves when the first list is in; with `signal`, it may never be. */
  async synced(): Promise<void> {
    await this.#synced.promise;
  }
}
