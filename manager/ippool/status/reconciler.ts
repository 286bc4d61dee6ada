import { isDeepStrictEqual } from 'node:util';
import { addressSpaceOf, IP_POOLS, type IPPool, type IPPoolStatus } from '../../../api/index.ts';
import {
  isAsNew,
  keyOf,
  refOf,
  unlessGone,
  type Clock,
  type EventRecorder,
  type ObjectRef,
  type Result,
} from '@groundcrew/controller-runtime';
import { BY_POOL, report } from '../../networks/index.ts';
import { Contest } from '../../contest.ts';
import { namesIn, ntpServersOf, type NtpNames } from '../ntp-names.ts';
import { announce } from './condition-events.ts';
import { loadInputs, type PoolInputs, type PoolSources } from './inputs.ts';
import { leftPart, leftStatusOf } from './left-status.ts';
import { REASONS } from './reasons.ts';
import { statusOf } from './status.ts';
import { UsageViews } from './usage.ts';

export interface PoolReconcilerOptions extends PoolSources {
  ntpNames: NtpNames;
  events: EventRecorder;
  clock: Clock;
}

/** Minimum milliseconds between two writes of one pool's status. */
const WRITE_PERIOD = 1000;
/** Milliseconds until the next check for Multus, whose installation no watch reports. */
const LOOK_FOR_MULTUS = 5000;

/** The last written status, in case the cache does not have it yet. */
interface Written {
  /** In monotonic ms: after the system's time is set back, the next status is not late. */
  at: number;
  uid: string | undefined;
  /** Version of the pool from which the status was computed. */
  readVersion: string | undefined;
  /** The pool with the status. */
  pool: IPPool;
}

/** Writes the status of each pool: reads, evaluates, and writes at most once a second. */
export class PoolReconciler {
  readonly #options: PoolReconcilerOptions;
  readonly #usage = new UsageViews();
  readonly #written = new Map<string, Written>();
  /** What other controllers undo. */
  readonly #contests = new Map<string, Contest<'status'>>();
  /** Names of unresolved NTP servers that were already reported, by pool. */
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
    // Checked first, so that most reconciles during many lease changes cost nothing more.
    const due = (this.#writtenOf(pool)?.at ?? -Infinity) + WRITE_PERIOD - clock.monotonic();
    if (due > 0) return { requeueAfter: due };
    return await unlessGone(() => this.#report(pool, now));
  }

  async #report(pool: IPPool, now: number): Promise<Result | undefined> {
    const { events, clock } = this.#options;
    const { usage, lookAgain } = this.#usageOf(pool, clock.monotonic());
    const contest = this.#contestOf(pool);
    const isContested = contest.isOn();
    const loaded = await loadInputs(pool, usage, this.#ntpServers(pool), this.#options);
    const inputs = { ...loaded, isContested };
    this.#announceNames(pool);
    const before = this.#statusOf(pool);
    const { status, reported } = await this.#write(inputs, before, now);
    if (reported !== undefined) {
      const { uid, resourceVersion } = pool.metadata;
      this.#written.set(keyOf(refOf(pool)), {
        at: clock.monotonic(),
        uid,
        readVersion: resourceVersion,
        pool: reported,
      });
      announce(pool, before, status, events);
    }
    const isWaiting = status.conditions?.some(({ reason }) => reason === REASONS.multusNotInstalled) === true;
    if (isContested && !contest.isOn()) return { requeueAfter: 0 };
    const waits = [lookAgain, isWaiting ? LOOK_FOR_MULTUS : undefined, contest.dueIn(clock.monotonic())];
    const after = Math.min(...waits.map((wait) => wait ?? Infinity));
    return after === Infinity ? undefined : { requeueAfter: after };
  }

  /** @returns the pool after the write; undefined: nothing was written */
  async #write(
    inputs: PoolInputs,
    before: IPPoolStatus | undefined,
    now: number,
  ): Promise<{ status: IPPoolStatus; reported: IPPool | undefined }> {
    const { client, clock } = this.#options;
    const { pool, otherAgents } = inputs;
    if (otherAgents.length === 0) {
      const status = statusOf(inputs, before, now);
      const contest = this.#contestOf(pool);
      const at = clock.monotonic();
      if (isDeepStrictEqual(before, status)) contest.stands('status', at);
      if (!contest.allows('status', at)) return { status, reported: undefined };
      const reported = await report(IP_POOLS, pool, before, status, client);
      if (reported !== undefined) contest.wrote('status', this.#wasUndone(pool), at);
      return { status, reported };
    }
    const status = leftStatusOf(inputs, before, now);
    if (isDeepStrictEqual(leftPart(before), status)) return { status, reported: undefined };
    // Not an apply, which removes what was applied before, and only to the version that was read: the rest is the other controller's.
    const { resourceVersion } = pool.metadata;
    const patch = { metadata: { resourceVersion }, status };
    return { status, reported: await client.patch(IP_POOLS, refOf(pool), 'merge', patch, { subresource: 'status' }) };
  }

  /** Whether another client has changed the status since the last write. */
  #wasUndone(pool: IPPool): boolean {
    const written = this.#writtenOf(pool);
    if (written === undefined || !isAsNew(pool, written.pool)) return false;
    return !isDeepStrictEqual(pool.status, written.pool.status);
  }

  #contestOf({ metadata }: IPPool): Contest<'status'> {
    const contest = this.#contests.get(keyOf(metadata)) ?? new Contest();
    this.#contests.set(keyOf(metadata), contest);
    return contest;
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
      this.#statusOf(pool)?.ipv4?.allocated,
    );
    return { usage, lookAgain };
  }

  #ntpServers(pool: IPPool): readonly string[] {
    const { ntpNames } = this.#options;
    const ntp = pool.spec.ipv4Config?.ntp ?? [];
    ntpNames.want(refOf(pool), namesIn(ntp));
    // A status from before may have private addresses.
    const before = this.#statusOf(pool)?.ipv4?.ntpServers?.filter((address) => ntpNames.allows(address));
    return ntpServersOf(ntp, (name) => ntpNames.addresses(refOf(pool), name), before);
  }

  /** Emits an Event once per name while the name is unresolved. */
  #announceNames(pool: IPPool): void {
    const { ntpNames, events } = this.#options;
    const key = keyOf(refOf(pool));
    const told = this.#unresolved.get(key);
    const failures = namesIn(pool.spec.ipv4Config?.ntp ?? []).flatMap((name) => {
      const failure = ntpNames.failure(refOf(pool), name);
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

  /** The newest known status: the written one until the cache has a newer version of the pool. */
  #statusOf(pool: IPPool): IPPoolStatus | undefined {
    const written = this.#writtenOf(pool);
    return written?.readVersion === pool.metadata.resourceVersion ? written?.pool.status : pool.status;
  }

  #writtenOf({ metadata }: IPPool): Written | undefined {
    const written = this.#written.get(keyOf(metadata));
    return written?.uid === metadata.uid ? written : undefined;
  }

  #forget(ref: ObjectRef): void {
    this.#contests.delete(keyOf(ref));
    this.#written.delete(keyOf(ref));
    this.#unresolved.delete(keyOf(ref));
    this.#usage.forget(ref);
    this.#options.ntpNames.want(ref, []);
  }
}
