import {
  ApiError,
  retryOnConflict,
  unlessGone,
  type Clock,
  type KubeClient,
  type Logger,
  type ObjectRef,
  type Timer,
} from '@groundcrew/controller-runtime';
import { IP_LEASES, type IPLease } from '../../../api/index.ts';
import { knownStatusOf, type LeaseRecord } from '../store/lease-record.ts';
import { type Happening, isMere, isOverdue, merged, type Observation, observationOf } from './observation.ts';
import { type PatchBase, statusPatch } from './status-patch.ts';
import { WaitingObservations } from './waiting-observations.ts';

export interface LeaseStatusWriterOptions {
  client: KubeClient;
  /** The current record of a lease; undefined if it was deleted. */
  current: (record: LeaseRecord) => LeaseRecord | undefined;
  podName: string;
  clock: Clock;
  logger: Logger;
}

/** Maximum concurrent writes: each needs a connection, and answers to clients have priority. */
const CONCURRENCY = 4;
/** Milliseconds between two checks for due writes. */
const PERIOD = 200;
/**
 * Milliseconds to wait after the first of consecutive failures; doubled up to the maximum. Not longer than the backoff of a watch:
 * until the status is written, the manager does not know that the address is held.
 */
const PAUSE = 1000;
const MAX_PAUSE = 10_000;
/** Two further attempts, without delay, if the lease has changed. */
const RETRIES = [0, 0];
/** Milliseconds for the last writes: kubelet gives the pod two seconds to stop. */
const FLUSH_TIMEOUT = 1000;

/**
 * Writes observations into the status of leases: state changes within a second, everything else at most once in ten minutes per
 * lease. Observations that cannot be written are kept, merged by lease.
 */
export class LeaseStatusWriter {
  readonly #options: LeaseStatusWriterOptions;
  readonly #pending = new WaitingObservations();
  /** By UID of the lease. */
  readonly #writing = new Map<string, Observation>();
  /** Running writes; they never reject. */
  readonly #underWay = new Set<Promise<void>>();
  readonly #late = new AbortController();
  #timer: Timer | undefined;
  /** In monotonic ms. */
  #pausedUntil = -Infinity;
  #failures = 0;
  #stopped = false;

  constructor(options: LeaseStatusWriterOptions) {
    this.#options = options;
  }

  /** Number of leases with unwritten observations. */
  get backlog(): number {
    return this.#pending.size + this.#writing.size;
  }

  /** Records an event of a lease. Returns at once and never throws. */
  note(record: LeaseRecord, happening: Happening): void {
    const { uid } = record;
    const pending = this.#pending.get(uid);
    const writing = this.#writing.get(uid);
    const waiting = pending === undefined ? writing : merged(writing, pending);
    const { clock } = this.#options;
    const now = clock.now();
    const observation = observationOf(happening, record, now, waiting);
    if (observation === undefined) return;
    // Monotonic, so that a write is not late after the system's time is set back.
    const due = observation.due - now + clock.monotonic();
    this.#pending.put(uid, merged(pending, { ...observation, due }));
    this.#look();
  }

  /** Writes all waiting observations that the API server accepts within a second. Nothing is written later. */
  async close(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    const { clock, logger } = this.#options;
    const timer = clock.setTimeout(() => {
      this.#late.abort();
    }, FLUSH_TIMEOUT);
    // Writes of one lease must stay in order.
    await Promise.all(this.#underWay);
    const rest = this.#pending.takeAll();
    await Promise.all(Array.from({ length: CONCURRENCY }, () => this.#drain(rest)));
    timer.cancel();
    if (this.#pending.size > 0)
      logger.warn({ leases: this.#pending.size }, 'the status of some leases was not written');
  }

  #look(): void {
    if (this.#stopped) return;
    const { clock } = this.#options;
    this.#timer ??= clock.setTimeout(() => {
      this.#timer = undefined;
      this.#pending.search(clock.monotonic());
      this.#start();
      if (this.#pending.size > 0) this.#look();
    }, PERIOD);
  }

  /** Starts due writes. */
  #start(): void {
    const { clock } = this.#options;
    if (clock.monotonic() < this.#pausedUntil) return;
    while (this.#writing.size < CONCURRENCY) {
      const observation = this.#pending.take((uid) => this.#writing.has(uid));
      if (observation === undefined) return;
      if (!this.#isWorthIt(observation, clock.now())) continue;
      const write = this.#write(observation).then(() => {
        this.#underWay.delete(write);
        this.#startNext();
      });
      this.#underWay.add(write);
    }
  }

  /** Called when a write has ended. */
  #startNext(): void {
    if (!this.#stopped && this.#failures === 0) this.#start();
  }

  /**
   * False if another agent has reported the client since. An ACK is written even if the lease was released since: the manager must
   * know until when the client holds the address.
   */
  #isWorthIt(observation: Observation, now: number): boolean {
    const record = this.#options.current(observation.record);
    return !isMere(observation) || (record !== undefined && isOverdue(record, now));
  }

  async #drain(rest: Observation[]): Promise<void> {
    for (let observation = rest.pop(); observation !== undefined; observation = rest.pop()) {
      if (this.#late.signal.aborted) this.#pending.put(observation.record.uid, observation);
      else await this.#write(observation);
    }
  }

  /** Never throws: failed observations wait again. */
  async #write(observation: Observation): Promise<void> {
    const { uid } = observation.record;
    this.#writing.set(uid, observation);
    try {
      const lease = await this.#patch(observation, this.#late.signal);
      // The watch delivers it later.
      if (lease !== undefined) this.#options.current(observation.record)?.learn(knownStatusOf(lease.status));
      if (this.#failures > 0) this.#options.logger.info({}, 'the status of leases is being written again');
      this.#failures = 0;
    } catch (error) {
      this.#failed(observation, error);
    } finally {
      this.#writing.delete(uid);
    }
  }

  #failed(observation: Observation, error: unknown): void {
    const { clock, logger } = this.#options;
    const fields = { err: error, lease: observation.record.name };
    if (error instanceof ApiError && (error.status === 422 || error.status === 400)) {
      logger.error(fields, 'the API server rejects the status of a lease; it is not written');
      return;
    }
    if (this.#failures === 0) logger.warn(fields, 'the status of leases cannot be written; trying again');
    const { uid } = observation.record;
    const later = this.#pending.get(uid);
    this.#pending.put(uid, later === undefined ? observation : merged(observation, later));
    const now = clock.monotonic();
    // Concurrent failures count as one.
    if (now >= this.#pausedUntil) {
      this.#pausedUntil = now + Math.min(PAUSE * 2 ** this.#failures, MAX_PAUSE);
      this.#failures += 1;
    }
    this.#look();
  }

  /** @returns the lease after the write; undefined if it was deleted */
  async #patch(observation: Observation, signal: AbortSignal): Promise<IPLease | undefined> {
    const { client, current, podName } = this.#options;
    const { ref, uid } = observation.record;
    const known = baseOf(current(observation.record));
    const write = async (attempt: number): Promise<IPLease | undefined> => {
      const base = (attempt === 1 ? known : undefined) ?? (await this.#read(ref, signal));
      if (base?.uid !== uid) return undefined;
      const patch = statusPatch(observation, base, podName);
      return await client.patch(IP_LEASES, ref, 'json', patch, { subresource: 'status', signal });
    };
    return await unlessGone(() => retryOnConflict(write, { signal, delays: RETRIES }));
  }

  async #read(ref: ObjectRef, signal: AbortSignal): Promise<PatchBase | undefined> {
    const lease = await this.#options.client.find(IP_LEASES, ref, { signal });
    if (lease === undefined) return undefined;
    const { uid = '', resourceVersion = '' } = lease.metadata;
    return { uid, resourceVersion, ...knownStatusOf(lease.status) };
  }
}

/** The base of a patch from local data; undefined if that is not sufficient. */
function baseOf(record: LeaseRecord | undefined): PatchBase | undefined {
  if (record === undefined || (Number.isNaN(record.version) && !record.hasStatus)) return undefined;
  const { uid, version, hasStatus, hasFirstBound } = record;
  return { uid, resourceVersion: String(version), hasStatus, hasFirstBound };
}
