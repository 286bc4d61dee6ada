import { keyOf } from '@groundcrew/controller-runtime';
import type { IPPool } from '../../../api/index.ts';
import type { Ipv4, NetworkSettings } from '../../../protocols/dhcp/index.ts';
import { amongOthers, servedPools } from './served-pools.ts';
import { settingsOf } from './settings-of.ts';

export interface PoolTableOptions {
  /** `namespace/name` of the net-attach-def. */
  network: string;
  /** Of the agent: which of a pool's server addresses is its own. */
  serverIndex: number;
  /** Which pools are served has changed, or how: undefined, not any more. */
  onChange: (key: string, settings: NetworkSettings | undefined) => void;
  /** Parts of a pool that make no sense and are left out; told when they change. */
  onProblems: (pool: IPPool, problems: readonly string[]) => void;
}

export interface ServedPool {
  readonly pool: IPPool;
  readonly settings: NetworkSettings;
  readonly problems: readonly string[];
}

/** The pools of a network, as this agent serves them. */
export class PoolTable {
  readonly #options: PoolTableOptions;
  readonly #pools = new Map<string, IPPool>();
  #served = new Map<string, ServedPool>();

  constructor(options: PoolTableOptions) {
    this.#options = options;
  }

  get pools(): ReadonlyMap<string, IPPool> {
    return this.#pools;
  }

  /** By `namespace/name`. */
  get served(): ReadonlyMap<string, ServedPool> {
    return this.#served;
  }

  /** This agent's own address in each pool that it serves, each once. */
  get addresses(): Ipv4[] {
    return [...new Set([...this.#served.values()].map(({ settings }) => settings.serverAddress))];
  }

  put(pool: IPPool): void {
    this.#pools.set(keyOf(pool.metadata), pool);
    this.#evaluate();
  }

  remove(key: string): void {
    if (this.#pools.delete(key)) this.#evaluate();
  }

  /** All anew, since which pools collide turns on all of them; there are few. */
  #evaluate(): void {
    const { network, serverIndex, onChange, onProblems } = this.#options;
    // An ESM import of node:util loads threads and more: 3 MB that an agent has no use for.
    const { isDeepStrictEqual } = process.getBuiltinModule('node:util');
    const before = this.#served;
    this.#served = new Map();
    const readings = servedPools([...this.#pools.values()], network).map((pool) => {
      return { pool, ...settingsOf(pool, serverIndex) };
    });
    const all = readings.flatMap(({ settings }) => settings ?? []);
    for (const { pool, problems, ...reading } of readings) {
      const key = keyOf(pool.metadata);
      const settings = reading.settings && amongOthers(reading.settings, all);
      const was = before.get(key);
      if (!isDeepStrictEqual(problems, was?.problems ?? [])) onProblems(pool, problems);
      if (settings === undefined) continue;
      // The same object for as long as it says the same: what was derived from it stays good.
      const same = was !== undefined && isDeepStrictEqual(was.settings, settings);
      this.#served.set(key, { pool, problems, settings: same ? was.settings : settings });
    }
    for (const key of before.keys()) if (!this.#served.has(key)) onChange(key, undefined);
    for (const [key, { settings }] of this.#served) if (before.get(key)?.settings !== settings) onChange(key, settings);
  }
}

/** A pool without what agents do not read: its view of leases changes with each of them, and may have thousands. */
export function trimmedPool({ apiVersion, kind, metadata, spec, status }: IPPool): IPPool {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  const { agent: _, ipv4Config, ...rest } = spec;
  const { ntpServers, available } = status?.ipv4 ?? {};
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    },
    spec: { ...rest, ...(ipv4Config === undefined ? {} : { ipv4Config: withoutReservations(ipv4Config) }) },
    status: {
      ipv4: {
        ...(ntpServers === undefined ? {} : { ntpServers }),
        ...(available === undefined ? {} : { available }),
      },
    },
  };
}

type Ipv4Config = NonNullable<IPPool['spec']['ipv4Config']>;

function withoutReservations({ reservations: _, ...rest }: Ipv4Config): Ipv4Config {
  return rest;
}
