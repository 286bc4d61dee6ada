import {
  ApiError,
  type Clock,
  isNotFound,
  type KubeClient,
  type Logger,
  type ObjectRef,
  type Timer,
} from '@groundcrew/controller-runtime';
import { IP_LEASES, type IPLease } from '../../../api/index.ts';
import { knownStatusOf, type LeaseRecord } from '../store/lease-record.ts';
import { type Happening, isMere, isOverdue, merged, type Observation, sightingOf } from './observation.ts';
import { type PatchBase, statusPatch } from './status-patch.ts';

export interface LeaseStatusWriterOptions {
  client: KubeClient;
  /** A lease as it is now; undefined where it is no more. */
  current: (record: LeaseRecord) => LeaseRecord | undefined;
  podName: string;
  clock: Clock;
  logger: Logger;
}

/** Writes under way at a time: each is a connection, and answers to clients go before. */
const CONCURRENCY = 4;
/** Milliseconds between two looks at what is due. */
const PERIOD = 200;
/**
 * Milliseconds to wait after the first failure in a row; doubled with each until the last. No longer than a watch is away from an
 * API server that is back: until it is written who holds an address, nobody knows that it is held.
 */
const PAUSE = 1000;
const MAX_PAUSE = 10_000;
/** Attempts where the object has changed meanwhile. */
const ATTEMPTS = 3;
/** Milliseconds that writing the rest may take in the end: kubelet gives the pod two seconds for all that it has to do. */
const FLUSH_TIMEOUT = 1000;

/**
 * Writes what is seen of leases into their status: state changes within a second, all else once in ten minutes and
 * lease at most. What cannot be written is kept, the latest of each lease, until it can.
 */
export class LeaseStatusWriter {
  readonly #options: LeaseStatusWriterOptions;
  /** By UID of the lease. */
  readonly #pending = new Map<string, Observation>();
  readonly #writing = new Map<string, Observation>();
  /** One for each that is being written; they never reject. */
  readonly #underWay = new Set<Promise<void>>();
  readonly #late = new AbortController();
  #timer: Timer | undefined;
  #pausedUntil = 0;
  #failures = 0;
  #stopped = false;

  constructor(options: LeaseStatusWriterOptions) {
    this.#options = options;
  }

  /** Leases with something to be written. */
  get backlog(): number {
    return this.#pending.size + this.#writing.size;
  }

  /** Takes note of what happened to a lease. Returns at once and never throws. */
  note(record: LeaseRecord, happening: Happening): void {
    const { uid } = record;
    const pending = this.#pending.get(uid);
    const writing = this.#writing.get(uid);
    const waiting = pending === undefined ? writing : merged(writing, pending);
    const observation = sightingOf(happening, record, this.#options.clock.now(), waiting);
    if (observation === undefined) return;
    this.#pending.set(uid, merged(pending, observation));
    this.#look();
  }

  /** Writes all that waits, as far as the API server takes it within a second; after that nothing is written. */
  async close(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    const { clock, logger } = this.#options;
    const timer = clock.setTimeout(() => {
      this.#late.abort();
    }, FLUSH_TIMEOUT);
    // None of a lease overtakes the one before.
    await Promise.all(this.#underWay);
    const rest = [...this.#pending.values()];
    this.#pending.clear();
    await Promise.all(Array.from({ length: CONCURRENCY }, () => this.#drain(rest)));
    timer.cancel();
    if (this.#pending.size > 0) logger.warn({ leases: this.#pending.size }, 'what was seen of leases is not written');
  }

  #look(): void {
    if (this.#stopped) return;
    this.#timer ??= this.#options.clock.setTimeout(() => {
      this.#timer = undefined;
      this.#start();
      if (this.#pending.size > 0) this.#look();
    }, PERIOD);
  }

  /** Begins to write what is due. */
  #start(): void {
    const now = this.#options.clock.now();
    if (now < this.#pausedUntil) return;
    for (const [uid, observation] of this.#pending) {
      if (this.#writing.size >= CONCURRENCY) return;
      if (observation.due > now || this.#writing.has(uid)) continue;
      this.#pending.delete(uid);
      if (!this.#isWorthIt(observation, now)) continue;
      const write = this.#write(observation).then(() => {
        this.#underWay.delete(write);
        this.#startNext();
      });
      this.#underWay.add(write);
    }
  }

  /** One write makes room for another. */
  #startNext(): void {
    if (!this.#stopped && this.#failures === 0) this.#start();
  }

  /**
   * Not where another agent has meanwhile told of the client. What a client was given is told of although the lease has
   * been released since: who is to give the address to another must know until when this one holds it.
   */
  #isWorthIt(observation: Observation, now: number): boolean {
    const record = this.#options.current(observation.record);
    return !isMere(observation) || (record !== undefined && isOverdue(record, now));
  }

  async #drain(rest: Observation[]): Promise<void> {
    for (let observation = rest.pop(); observation !== undefined; observation = rest.pop()) {
      if (this.#late.signal.aborted) this.#pending.set(observation.record.uid, observation);
      else await this.#write(observation);
    }
  }

  /** Never throws: what fails waits again. */
  async #write(observation: Observation): Promise<void> {
    const { uid } = observation.record;
    this.#writing.set(uid, observation);
    try {
      const lease = await this.#patch(observation, this.#late.signal);
      // Long before the watch tells of it.
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
      logger.error(fields, 'the API server does not take what was seen of a lease; it is not written');
      return;
    }
    if (this.#failures === 0) logger.warn(fields, 'the status of leases cannot be written; going on to try');
    const { uid } = observation.record;
    const later = this.#pending.get(uid);
    this.#pending.set(uid, later === undefined ? observation : merged(observation, later));
    const now = clock.now();
    // Those that were under way together count as one failure.
    if (now >= this.#pausedUntil) {
      this.#pausedUntil = now + Math.min(PAUSE * 2 ** this.#failures, MAX_PAUSE);
      this.#failures += 1;
    }
    this.#look();
  }

  /** @returns the lease as it is now; undefined where it is no more */
  async #patch(observation: Observation, signal: AbortSignal): Promise<IPLease | undefined> {
    const { client, current, podName } = this.#options;
    const { ref, uid } = observation.record;
    let base = baseOf(current(observation.record));
    for (let attempt = 1; ; attempt += 1) {
      base ??= await this.#read(ref, signal);
      if (base?.uid !== uid) return undefined;
      try {
        const patch = statusPatch(observation, base, podName);
        return await client.patch(IP_LEASES, ref, 'json', patch, { subresource: 'status', signal });
      } catch (error) {
        if (isNotFound(error)) return undefined;
        // Refused since the object is not what it was thought to be: another one, or with a status by now.
        const isBehind = error instanceof ApiError && (error.status === 422 || error.status === 409);
        if (!isBehind || attempt === ATTEMPTS) throw error;
        base = undefined;
      }
    }
  }

  async #read(ref: ObjectRef, signal: AbortSignal): Promise<PatchBase | undefined> {
    const lease = await this.#options.client.find(IP_LEASES, ref, { signal });
    if (lease === undefined) return undefined;
    const { uid = '', resourceVersion = '' } = lease.metadata;
    return { uid, resourceVersion, ...knownStatusOf(lease.status) };
  }
}

/** What is known without asking; undefined where that is not enough. */
function baseOf(record: LeaseRecord | undefined): PatchBase | undefined {
  if (record === undefined || (Number.isNaN(record.version) && !record.hasStatus)) return undefined;
  const { uid, version, hasStatus, hasFirstBound } = record;
  return { uid, resourceVersion: String(version), hasStatus, hasFirstBound };
}
