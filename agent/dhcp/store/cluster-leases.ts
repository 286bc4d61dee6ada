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
  /** Namespaces that have pools of the network. */
  namespaces: readonly string[];
  pools: PoolTable;
  leases: LeaseTable;
  clock: Clock;
  random?: () => number;
  logger: Logger;
}

/** A watch of pools or leases. */
interface Watch {
  readonly kind: { readonly plural: string };
  readonly hasSynced: boolean;
  readonly openWatch: OpenWatch | undefined;
  readonly heard: number | undefined;
  run(signal: AbortSignal): Promise<void>;
  synced(): Promise<void>;
}

/**
 * Fills the tables from the API server. Data of a snapshot is replaced when the API server's data arrives.
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

  /** Whether all initial lists have arrived. */
  get hasSynced(): boolean {
    return this.#watches.every(({ hasSynced }) => hasSynced);
  }

  get isFresh(): boolean {
    const watches = this.#watches.map(({ openWatch }) => openWatch);
    return this.hasSynced && isFresh(watches, this.#options.clock.now());
  }

  /** Milliseconds since the last data on the watch that is silent the longest; undefined until all watches have data. */
  get age(): number | undefined {
    const heard = this.#watches.map(({ openWatch, heard }) => openWatch?.heard ?? heard ?? Number.NaN);
    const age = this.#options.clock.now() - Math.min(...heard);
    return Number.isNaN(age) ? undefined : age;
  }

  /** Kinds whose lists have not arrived yet: `ippools, ipleases`. */
  get missing(): string {
    const missing = this.#watches.filter(({ hasSynced }) => !hasSynced).map(({ kind }) => kind.plural);
    return [...new Set(missing)].join(', ');
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#watches.map((watch) => watch.run(signal)));
  }

  /** Resolves when all lists have arrived and the tables contain exactly their objects. */
  async synced(): Promise<void> {
    await Promise.all(this.#watches.map((watch) => watch.synced()));
    const { pools } = this.#options;
    const listed = this.#pools.flatMap((watch) => watch.list());
    // A snapshot may have replaced pools that arrived before it was restored.
    for (const pool of listed) pools.put(pool);
    const present = new Set(listed.map(({ metadata }) => keyOf(metadata)));
    for (const key of [...pools.pools.keys()]) if (!present.has(key)) pools.remove(key);
  }
}

/** Milliseconds that a resumed watch has to deliver missed changes. */
const CATCH_UP = 1000;
/**
 * Milliseconds. More than the two minutes after which a silent watch is reopened, since bookmarks are not guaranteed. Until then an
 * agent with a dead connection may wrongly send a NAK; the client then starts again and gets its lease from another agent.
 */
const SILENCE = 130_000;

/**
 * Whether the data of watches is current: all have been open for a second and were opened or received data recently. A broken
 * connection ends a watch at once, and so the freshness.
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

/** Leases per page: the garbage of a page makes the process larger permanently. */
const PAGE_SIZE = 100;

/** Fills the table with the leases of one namespace. A `CachedWatch` would keep them a second time. */
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
        // All at once: an address that has moved must not be seen twice.
        list: () => {
          const records: LeaseRecord[] = [];
          return {
            page: (page) => {
              records.push(...page);
            },
            complete: () => {
              leases.replace(namespace, records);
              this.#hasSynced = true;
              this.#synced.resolve(undefined);
            },
          };
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

  /** Resolves when the first list has arrived; possibly never if `signal` is aborted. */
  async synced(): Promise<void> {
    await this.#synced.promise;
  }
}
