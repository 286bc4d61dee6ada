import { addressSpaceOf, IP_POOLS, type IPPool, type IPPoolStatus } from '../../../api/index.ts';
import {
  isNotFound,
  keyOf,
  refOf,
  type Clock,
  type EventRecorder,
  type ObjectRef,
  type Result,
} from '@groundcrew/controller-runtime';
import { BY_POOL, report } from '../../networks/index.ts';
import type { NtpNames } from '../ntp/ntp-names.ts';
import { namesIn, ntpServersOf } from '../ntp/ntp-servers.ts';
import { announce } from './condition-events.ts';
import { loadInputs, type PoolSources } from './load-inputs.ts';
import { REASONS } from './reasons.ts';
import { statusOf } from './status.ts';
import { UsageViews } from './usage-views.ts';

export interface PoolReconcilerOptions extends PoolSources {
  ntpNames: NtpNames;
  events: EventRecorder;
  clock: Clock;
}

/** Milliseconds between two writes of one pool's status. */
const WRITE_PERIOD = 1000;
/** Milliseconds after which Multus is looked for again: its appearance alone is told by no watch. */
const LOOK_FOR_MULTUS = 5000;

/** What was written last, and of what: a cache may not have it yet when the pool is looked at again. */
interface Written {
  at: number;
  uid: string | undefined;
  /** Of the pool that it was found out of. */
  readVersion: string | undefined;
  status: IPPoolStatus | undefined;
}

/** Says of each pool how it is: reads, evaluates, and writes one status, at most once a second. */
export class PoolReconciler {
  readonly #options: PoolReconcilerOptions;
  readonly #usage = new UsageViews();
  readonly #written = new Map<string, Written>();
  /** Names of NTP servers that have no address, and were told of, by pool. */
  readonly #unresolved = new Map<string, ReadonlySet<string>>();

  constructor(options: PoolReconcilerOptions) {
    this.#options = options;
  }

  async reconcile(ref: ObjectRef): Promise<Result | undefined> {
    const { caches, clock } = this.#options;
    const pool = caches.pools.get(ref);
    if (pool === undefined || pool.metadata.deletionTimestamp !== undefined) {
      this.#forget(ref);
      return undefined;
    }
    const now = clock.now();
    // Before anything is counted: in a storm of leases this is all that most of them cost.
    const due = (this.#writtenOf(pool)?.at ?? -Infinity) + WRITE_PERIOD - now;
    if (due > 0) return { requeueAfter: due };
    try {
      return await this.#report(pool, now);
    } catch (error) {
      // Gone since it was read; the cache will tell.
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #report(pool: IPPool, now: number): Promise<Result | undefined> {
    const { client, events } = this.#options;
    const { usage, lookAgain } = this.#usageOf(pool, now);
    const inputs = await loadInputs(pool, usage, this.#ntpServers(pool), this.#options);
    this.#announceNames(pool);
    const before = this.#statusOf(pool);
    const status = statusOf(inputs, before, now);
    const reported = await report(IP_POOLS, pool, before, status, client);
    if (reported !== undefined) {
      const { uid, resourceVersion } = pool.metadata;
      this.#written.set(keyOf(refOf(pool)), { at: now, uid, readVersion: resourceVersion, status: reported.status });
      announce(pool, before, status, events);
    }
    const isWaiting = status.conditions?.some(({ reason }) => reason === REASONS.multusNotInstalled) === true;
    const after = Math.min(lookAgain ?? Infinity, isWaiting ? LOOK_FOR_MULTUS : Infinity);
    return after === Infinity ? undefined : { requeueAfter: after };
  }

  #usageOf(pool: IPPool, now: number) {
    const { space } = addressSpaceOf(pool.spec);
    if (space === undefined) return { usage: undefined, lookAgain: undefined };
    const { leases } = this.#options.caches;
    const ref = refOf(pool);
    const { uid = '', generation = 0 } = pool.metadata;
    const { usage, lookAgain } = this.#usage.read(
      ref,
      `${uid}/${generation}`,
      space,
      () => leases.byIndex(BY_POOL, keyOf(ref)),
      now,
    );
    return { usage, lookAgain };
  }

  #ntpServers(pool: IPPool): readonly string[] {
    const { ntpNames } = this.#options;
    const ntp = pool.spec.ipv4Config?.ntp ?? [];
    ntpNames.want(refOf(pool), namesIn(ntp));
    const before = this.#statusOf(pool)?.ipv4?.ntpServers;
    return ntpServersOf(ntp, (name) => ntpNames.addresses(name), before);
  }

  /** Once for each name that has no address, until it has one. */
  #announceNames(pool: IPPool): void {
    const { ntpNames, events } = this.#options;
    const key = keyOf(refOf(pool));
    const told = this.#unresolved.get(key);
    const failures = namesIn(pool.spec.ipv4Config?.ntp ?? []).flatMap((name) => {
      const failure = ntpNames.failure(name);
      return failure === undefined ? [] : [{ name, failure }];
    });
    for (const { name, failure } of failures) {
      if (told?.has(name) === true) continue;
      const message = `The NTP server ${name} has no address: ${failure}. Correct spec.ipv4Config.ntp, or its DNS.`;
      events.event(pool, 'Warning', 'NTPServerNotFound', message);
    }
    if (failures.length === 0) this.#unresolved.delete(key);
    else this.#unresolved.set(key, new Set(failures.map(({ name }) => name)));
  }

  /** As it is, as far as is known: what was written, until the cache has gone on from what it was found out of. */
  #statusOf(pool: IPPool): IPPoolStatus | undefined {
    const written = this.#writtenOf(pool);
    return written?.readVersion === pool.metadata.resourceVersion ? written?.status : pool.status;
  }

  #writtenOf({ metadata }: IPPool): Written | undefined {
    const written = this.#written.get(keyOf(metadata));
    return written?.uid === metadata.uid ? written : undefined;
  }

  #forget(ref: ObjectRef): void {
    this.#written.delete(keyOf(ref));
    this.#unresolved.delete(keyOf(ref));
    this.#usage.forget(ref);
    this.#options.ntpNames.want(ref, []);
  }
}
