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
import { parseIpv4 } from '../../api/index.ts';
import { lookup } from 'node:dns/promises';

/** Resolves a name to IPv4 addresses. @throws if the name has no IPv4 address */
export type ResolveName = (name: string) => Promise<readonly string[]>;

interface NtpNamesOptions {
  resolve: ResolveName;
  clock: Clock;
  logger: Logger;
  metrics?: Metrics | undefined;
}

/** Milliseconds until a name is resolved again, and after a failure. */
const REFRESH = 300_000;
const RETRY = 30_000;

interface Known {
  addresses: readonly string[] | undefined;
  /** The error of the last lookup. */
  failure: string | undefined;
}

/**
 * Resolves the NTP servers that pools name. It works in the background, so that no pool waits for a name server, and
 * keeps the last addresses while none answers.
 */
export class NtpNames {
  readonly #options: NtpNamesOptions;
  readonly #known = new Map<string, Known>();
  /** Pools by name, then by their key. */
  readonly #wanted = new Map<string, Map<string, ObjectRef>>();
  /** Names by the key of the pool. */
  readonly #names = new Map<string, readonly string[]>();
  readonly #listeners = new Set<(pool: ObjectRef) => void>();
  readonly controller: Controller;

  constructor(options: NtpNamesOptions) {
    this.#options = options;
    const { clock, logger, metrics } = options;
    this.controller = new Controller({
      name: 'ntp',
      reconcile: ({ name }) => this.#ask(name),
      sources: [],
      clock,
      logger,
      metrics,
    });
  }

  /** Sets the names of a pool; an empty list for a deleted pool. */
  want(pool: ObjectRef, names: readonly string[]): void {
    const key = keyOf(pool);
    for (const name of this.#names.get(key) ?? []) if (!names.includes(name)) this.#wanted.get(name)?.delete(key);
    if (names.length === 0) this.#names.delete(key);
    else this.#names.set(key, names);
    for (const name of names) {
      const pools = this.#wanted.get(name) ?? new Map<string, ObjectRef>();
      pools.set(key, pool);
      this.#wanted.set(name, pools);
      if (!this.#known.has(name)) {
        this.#known.set(name, { addresses: undefined, failure: undefined });
        this.controller.enqueue({ name });
      }
    }
  }

  addresses(name: string): readonly string[] | undefined {
    return this.#known.get(name)?.addresses;
  }

  /** Why the last lookup failed; undefined if it succeeded. */
  failure(name: string): string | undefined {
    return this.#known.get(name)?.failure;
  }

  /** Enqueues the pools of a name whose result has changed. */
  readonly source: Source = {
    start: (enqueue) => {
      this.#listeners.add(enqueue);
      return () => this.#listeners.delete(enqueue);
    },
  };

  async #ask(name: string): Promise<Result | undefined> {
    const pools = this.#wanted.get(name);
    if (pools === undefined || pools.size === 0) {
      this.#wanted.delete(name);
      this.#known.delete(name);
      return undefined;
    }
    const before = this.#known.get(name);
    const now = await this.#resolve(name, before?.addresses);
    if (now.failure !== undefined && now.failure !== before?.failure)
      this.#options.logger.info({ name, failure: now.failure }, 'an NTP server name cannot be resolved; trying again');
    this.#known.set(name, now);
    if (!isDeepStrictEqual(before, now))
      for (const pool of [...pools.values()]) for (const listener of this.#listeners) listener(pool);
    return { requeueAfter: now.failure === undefined ? REFRESH : RETRY };
  }

  async #resolve(name: string, last: readonly string[] | undefined): Promise<Known> {
    try {
      // Name servers rotate the order of answers, which is not a change.
      return { addresses: [...(await this.#options.resolve(name))].toSorted(), failure: undefined };
    } catch (error) {
      // The pool's reconciler reports it as an Event.
      return { addresses: last, failure: error instanceof Error ? error.message : String(error) };
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

/** Resolves a name to IPv4 addresses with the system resolver. @throws if the name has no IPv4 address */
export async function resolveIpv4(name: string): Promise<string[]> {
  return (await lookup(name, { family: 4, all: true })).map(({ address }) => address);
}
