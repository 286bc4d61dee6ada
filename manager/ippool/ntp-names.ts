import { isDeepStrictEqual } from 'node:util';
import {
  Controller,
  keyOf,
  type Clock,
  type Logger,
  type Metrics,
  type ObjectRef,
  type Result,
  type Source,
} from '@groundcrew/controller-runtime';
import { parseIpv4, type Ipv4Range } from '../../api/index.ts';
import { isNtpAddress } from './ntp-addresses.ts';

/** Resolves a name to IPv4 addresses. @throws if the name has no IPv4 address */
export type ResolveName = (name: string) => Promise<readonly string[]>;

interface NtpNamesOptions {
  resolve: ResolveName;
  /** Private addresses that names may have. */
  allowedRanges: readonly Ipv4Range[];
  clock: Clock;
  logger: Logger;
  metrics?: Metrics | undefined;
}

/** Milliseconds until a name is resolved again, and after a failure. */
const REFRESH = 300_000;
const RETRY = 30_000;

/** Lookups at a time; each namespace has one of them. */
const WORKERS = 32;
/** Milliseconds until a namespace whose lookup is running has its next turn. */
const TURN = 250;
/** Names of a namespace that are resolved. */
export const MAX_NAMES = 32;
/** Lookups of a namespace in a minute. */
export const LOOKUPS_PER_MINUTE = 60;
const MINUTE = 60_000;

/** For all failures alike: tenants do not learn which names the manager can resolve. */
const NOT_FOUND = "neither a public one, nor one in the ranges of the chart's dhcp.allowedNTPRanges";
const TOO_MANY = `only ${MAX_NAMES} names of a namespace are resolved`;

interface Known {
  addresses: readonly string[] | undefined;
  /** Why there is no address, as the end of a sentence. */
  failure: string | undefined;
}

interface Name extends Known {
  /** By key. */
  pools: Map<string, ObjectRef>;
}

/** The names of a namespace. Namespaces share neither answers nor turns. */
interface Tenant {
  names: Map<string, Name>;
  isAsking: boolean;
  /** Times of the lookups of the last minute, milliseconds since 1970. */
  asked: number[];
}

/**
 * Resolves the NTP servers that pools name. It works in the background, so that no pool waits for a name server, and
 * keeps the last addresses while none answers. Private addresses are neither used nor shown, unless the installation
 * allows them.
 */
export class NtpNames {
  readonly #options: NtpNamesOptions;
  /** By namespace. */
  readonly #tenants = new Map<string, Tenant>();
  /** Names by the key of the pool. */
  readonly #names = new Map<string, readonly string[]>();
  readonly #listeners = new Set<(pool: ObjectRef) => void>();
  readonly controller: Controller;

  constructor(options: NtpNamesOptions) {
    this.#options = options;
    const { clock, logger, metrics } = options;
    this.controller = new Controller({
      name: 'ntp',
      reconcile: ({ namespace = '', name }) => this.#ask(namespace, name),
      sources: [],
      workers: WORKERS,
      clock,
      logger,
      metrics,
    });
  }

  /** Sets the names of a pool; an empty list for a deleted pool. */
  want(pool: ObjectRef, names: readonly string[]): void {
    const key = keyOf(pool);
    const { namespace = '' } = pool;
    const tenant = this.#tenants.get(namespace) ?? { names: new Map<string, Name>(), isAsking: false, asked: [] };
    for (const name of this.#names.get(key) ?? []) if (!names.includes(name)) tenant.names.get(name)?.pools.delete(key);
    if (names.length === 0) this.#names.delete(key);
    else this.#names.set(key, names);
    for (const name of names) {
      const known = tenant.names.get(name);
      known?.pools.set(key, pool);
      if (known !== undefined) continue;
      tenant.names.set(name, { addresses: undefined, failure: undefined, pools: new Map([[key, pool]]) });
      this.#tenants.set(namespace, tenant);
      this.controller.enqueue({ namespace, name });
    }
  }

  addresses({ namespace = '' }: ObjectRef, name: string): readonly string[] | undefined {
    return this.#tenants.get(namespace)?.names.get(name)?.addresses;
  }

  /** Why the last lookup failed; undefined if it succeeded. */
  failure({ namespace = '' }: ObjectRef, name: string): string | undefined {
    return this.#tenants.get(namespace)?.names.get(name)?.failure;
  }

  /** Whether a name may have this address. */
  allows(address: string): boolean {
    return isNtpAddress(address, this.#options.allowedRanges);
  }

  /** Enqueues the pools of a name whose result has changed. */
  readonly source: Source = {
    start: (enqueue) => {
      this.#listeners.add(enqueue);
      return () => this.#listeners.delete(enqueue);
    },
  };

  async #ask(namespace: string, name: string): Promise<Result | undefined> {
    const tenant = this.#tenants.get(namespace);
    const known = tenant?.names.get(name);
    if (tenant === undefined || known === undefined) return undefined;
    if (known.pools.size === 0) {
      tenant.names.delete(name);
      return undefined;
    }
    if ([...tenant.names.keys()].indexOf(name) >= MAX_NAMES) {
      this.#tell(known, { addresses: known.addresses, failure: TOO_MANY });
      return { requeueAfter: RETRY };
    }
    const wait = this.#turnOf(tenant);
    if (wait > 0) return { requeueAfter: wait };
    tenant.isAsking = true;
    try {
      const result = await this.#resolve(namespace, name, known.addresses);
      this.#tell(known, result);
      return { requeueAfter: result.failure === undefined ? REFRESH : RETRY };
    } finally {
      tenant.isAsking = false;
    }
  }

  /** Milliseconds until the namespace may look up a name; 0: now. */
  #turnOf(tenant: Tenant): number {
    if (tenant.isAsking) return TURN;
    const now = this.#options.clock.now();
    tenant.asked = tenant.asked.filter((at) => at > now - MINUTE && at <= now);
    const [first = now] = tenant.asked;
    if (tenant.asked.length >= LOOKUPS_PER_MINUTE) return first + MINUTE - now;
    tenant.asked.push(now);
    return 0;
  }

  #tell(name: Name, { addresses, failure }: Known): void {
    const isChanged = !isDeepStrictEqual([name.addresses, name.failure], [addresses, failure]);
    name.addresses = addresses;
    name.failure = failure;
    if (!isChanged) return;
    for (const pool of [...name.pools.values()]) for (const listener of this.#listeners) listener(pool);
  }

  async #resolve(namespace: string, name: string, last: readonly string[] | undefined): Promise<Known> {
    try {
      const answers = await this.#options.resolve(name);
      const addresses = answers.filter((address) => this.allows(address));
      if (addresses.length === 0) throw new Error('all of its addresses are private');
      // Name servers rotate the order of answers, which is not a change.
      return { addresses: addresses.toSorted(), failure: undefined };
    } catch (error) {
      this.#options.logger.debug({ namespace, name, err: error }, 'an NTP server has no address; it is tried again');
      // The pool's reconciler reports it as an Event.
      return { addresses: last, failure: NOT_FOUND };
    }
  }
}

/** Maximum length of `status.ipv4.ntpServers` in the schema. */
const MOST = 16;

/** The known addresses of a name; undefined before the first answer. */
type NameLookup = (name: string) => readonly string[] | undefined;

/** The entries of `spec.ipv4Config.ntp` that are names. */
export function namesIn(ntp: readonly string[]): string[] {
  return ntp.filter((entry) => parseIpv4(entry) === undefined);
}

/**
 * The addresses of NTP servers in the order of the entries, without duplicates.
 *
 * @param before the previous addresses: appended while a name is unresolved, since they may belong to it
 */
export function ntpServersOf(
  ntp: readonly string[],
  lookup: NameLookup,
  before: readonly string[] = [],
): readonly string[] {
  const found = ntp.map((entry) => (parseIpv4(entry) === undefined ? lookup(entry) : [entry]));
  const kept = found.includes(undefined) ? before : [];
  return [...new Set([...found.flatMap((addresses) => addresses ?? []), ...kept])].slice(0, MOST);
}
