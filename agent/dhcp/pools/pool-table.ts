import { identityOf, keyOf } from '@groundcrew/controller-runtime';
import type { IPPool } from '../../../api/index.ts';
import type { Ipv4, NetworkSettings } from '../../../protocols/dhcp/index.ts';
import { amongOthers, servedPools } from './served-pools.ts';
import { settingsOf } from './settings-of.ts';

export interface PoolTableOptions {
  /** `namespace/name` of the net-attach-def. */
  network: string;
  /** Index of the agent's address in a pool's server addresses. */
  serverIndex: number;
  /** The settings of a served pool changed; undefined: it is no longer served. */
  onChange: (key: string, settings: NetworkSettings | undefined) => void;
  /** Invalid parts of a pool, which are ignored; called when they change. */
  onProblems: (pool: IPPool, problems: readonly string[]) => void;
}

export interface ServedPool {
  readonly pool: IPPool;
  readonly settings: NetworkSettings;
  readonly problems: readonly string[];
}

/** The pools of a network that this agent serves. */
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

  /** This agent's addresses in the served pools, without duplicates. */
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

  /** Evaluates all pools, since a conflict depends on all of them; there are few. */
  #evaluate(): void {
    const { network, serverIndex, onChange, onProblems } = this.#options;
    // An ESM import of node:util loads threads and more: 3 MB that an agent does not need.
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
      // Keeps the object while its content is equal, so that data derived from it stays valid.
      const same = was !== undefined && isDeepStrictEqual(was.settings, settings);
      this.#served.set(key, { pool, problems, settings: same ? was.settings : settings });
    }
    for (const key of before.keys()) if (!this.#served.has(key)) onChange(key, undefined);
    for (const [key, { settings }] of this.#served) if (before.get(key)?.settings !== settings) onChange(key, settings);
  }
}

/** A pool without the fields that agents do not read: its list of leases changes often and can have thousands of entries. */
export function trimmedPool({ apiVersion, kind, metadata, spec, status }: IPPool): IPPool {
  const { creationTimestamp } = metadata;
  const { agent: _, ipv4Config, ...rest } = spec;
  const { ntpServers, available } = status?.ipv4 ?? {};
  return {
    apiVersion,
    kind,
    metadata: {
      ...identityOf(metadata),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    },
    spec: { ...rest, ...(ipv4Config === undefined ? {} : { ipv4Config: trimmedConfig(ipv4Config) }) },
    status: {
      ipv4: {
        ...(ntpServers === undefined ? {} : { ntpServers }),
        ...(available === undefined ? {} : { available }),
      },
    },
  };
}

type Ipv4Config = NonNullable<IPPool['spec']['ipv4Config']>;

/** Of reservations only the addresses, which decide conflicts between pools. */
function trimmedConfig({ reservations, ...rest }: Ipv4Config): Ipv4Config {
  if (reservations === undefined) return rest;
  return { ...rest, reservations: reservations.map(({ ipAddress }) => ({ ipAddress })) };
}
