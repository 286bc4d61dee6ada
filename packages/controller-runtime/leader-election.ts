import type { KubeClient } from './client.ts';
import { type Clock, microTimestamp, sleep, type Timer } from './clock.ts';
import { type Lease, LEASES } from './core.ts';
import { isAlreadyExists, isConflict, isNotFound } from './errors.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';
import { retryOnConflict } from './retry-on-conflict.ts';

export interface LeaderElectionOptions {
  client: KubeClient;
  /** Namespace of the Lease. */
  namespace: string;
  name: string;
  /** Unique identity of this process: the Pod's name and a random suffix. */
  identity: string;
  clock: Clock;
  /** Returns a number from [0, 1). */
  random?: () => number;
  logger: Logger;
  metrics?: Metrics | undefined;
  /** Milliseconds without a renewal after which another process may take the lease; whole seconds. Default 15,000. */
  leaseDuration?: number;
  /**
   * Milliseconds without a successful renewal after which a leader gives up; less than leaseDuration. Default 10,000.
   */
  renewDeadline?: number;
  /** Milliseconds between attempts. Default 2,000. */
  retryPeriod?: number;
}

/** The lease is lost. Another process may lead, so this process must end immediately. */
export class LeadershipLostError extends Error {
  override readonly name = 'LeadershipLostError';
  readonly code = 'LeadershipLost';
  /** Whether another process has the lease; if not, it was not renewed in time. */
  readonly isTaken: boolean;

  constructor(message: string, isTaken = false) {
    super(message);
    this.isTaken = isTaken;
  }
}

/** Jitter of the pauses between attempts to acquire the lease, as in client-go. */
const JITTER = 1.2;

const TAKEN = 'another process has taken the lease';

/** Milliseconds before the second and the third attempt to release the lease. */
const RELEASE_DELAYS = [0, 0];

type Outcome =
  | 'held'
  /** Another process holds it. */
  | 'taken'
  /** The API server did not answer. */
  | 'failed';

type Lead = (signal: AbortSignal, lease: { wasReleased: boolean }) => Promise<void>;

/** Leader election with a Lease, compatible with client-go. */
export class LeaderElection {
  readonly #options: LeaderElectionOptions & { leaseDuration: number; renewDeadline: number; retryPeriod: number };
  readonly #logger: Logger;
  readonly #random: () => number;
  #lost = new AbortController();
  /** Ends the leadership if the lease is not renewed in time. Timers are not affected by clock changes. */
  #deadline: Timer | undefined;
  /** When the leadership ends without another renewal, in monotonic ms; undefined: not leading. */
  #until: number | undefined;
  #lease: Lease | undefined;
  /** Time before its last write, in monotonic ms. */
  #writtenAt = 0;
  #wasReleased = false;
  /** The last observed renewal of the holder, and whether it has expired. */
  #seen: { sign: string; expired: boolean; timer: Timer } | undefined;

  constructor(options: LeaderElectionOptions) {
    const { leaseDuration = 15_000, renewDeadline = 10_000, retryPeriod = 2000 } = options;
    if (renewDeadline >= leaseDuration || retryPeriod * JITTER >= renewDeadline) {
      throw new TypeError('leader election needs leaseDuration > renewDeadline > 1.2 × retryPeriod');
    }
    this.#options = { ...options, client: options.client.urgent(), leaseDuration, renewDeadline, retryPeriod };
    this.#logger = options.logger.child({ lease: options.name });
    this.#random = options.random ?? Math.random;
  }

  /**
   * Waits for the lease, then calls `lead`. Its signal is aborted when `signal` is aborted or the lease is lost. `wasReleased`: another
   * process has released the lease, and may still finish what it has begun; if not, no other process led, or its lease has expired.
   * Resolves when `lead` has ended, or when `signal` was aborted before `lead` began; the lease is then released.
   *
   * @param resumes whether this process has led and waits only until it can go on
   * @throws LeadershipLostError immediately when the lease is lost, without waiting for `lead`; with `resumes` also when another process
   * has it
   */
  async run(signal: AbortSignal, lead: Lead, { resumes = false }: { resumes?: boolean } = {}): Promise<void> {
    this.#lost = new AbortController();
    this.#tellMetrics(false);
    try {
      if (!(await this.#acquire(signal, resumes))) return;
      this.#logger.info({ identity: this.#options.identity }, 'leading');
      this.#tellMetrics(true);
      await this.#lead(signal, lead);
    } finally {
      this.#tellMetrics(false);
      this.#until = undefined;
      this.#deadline?.cancel();
      this.#seen?.timer.cancel();
      this.#seen = undefined;
    }
  }

  /**
   * A client that writes only while this process leads: other writes fail with LeadershipLostError. A process that was
   * paused may run other code before the timers fire by which it notices that the lease is lost.
   */
  fence(client: KubeClient): KubeClient {
    return client.fenced(() => {
      this.#lost.signal.throwIfAborted();
      if (!this.isLeading) throw new LeadershipLostError('the lease is not held; nothing is written');
    });
  }

  /** Whether this process leads now, also before the timer fires that ends its leadership. */
  get isLeading(): boolean {
    if (this.#lost.signal.aborted || this.#until === undefined) return false;
    return this.#options.clock.monotonic() < this.#until;
  }

  async #acquire(signal: AbortSignal, resumes: boolean): Promise<boolean> {
    const { clock, retryPeriod } = this.#options;
    for (;;) {
      if (signal.aborted) return false;
      const outcome = await this.#attempt(signal);
      if (outcome === 'held') return true;
      if (outcome === 'taken' && resumes) throw new LeadershipLostError(TAKEN, true);
      await sleep(clock, retryPeriod * (1 + JITTER * this.#random()), signal);
    }
  }

  async #lead(signal: AbortSignal, lead: Lead): Promise<void> {
    const ended = new AbortController();
    const renewal = this.#renewUntil(ended.signal);
    const work = lead(AbortSignal.any([signal, this.#lost.signal]), { wasReleased: this.#wasReleased });
    try {
      await Promise.race([work, renewal]);
    } finally {
      ended.abort();
      // The promise that loses the race must not become an unhandled rejection.
      work.catch(() => undefined);
      await renewal.catch(() => undefined);
      if (!this.#lost.signal.aborted) await this.#release();
    }
    // Idle work ends at once when the lease is lost, before the renewal rejects.
    this.#lost.signal.throwIfAborted();
  }

  /** Renews until `ended` is aborted, also during the shutdown of the work. The time of a slow answer is a part of the period. */
  async #renewUntil(ended: AbortSignal): Promise<void> {
    const { clock, retryPeriod } = this.#options;
    const stop = AbortSignal.any([ended, this.#lost.signal]);
    let began = this.#writtenAt;
    for (;;) {
      await sleep(clock, Math.max(0, began + retryPeriod - clock.monotonic()), stop);
      this.#lost.signal.throwIfAborted();
      if (ended.aborted) return;
      began = clock.monotonic();
      if ((await this.#attempt(stop)) === 'taken') this.#lose(TAKEN, true);
    }
  }

  #lose(message: string, isTaken = false): void {
    this.#logger.error({ identity: this.#options.identity }, `leadership lost: ${message}`);
    this.#lost.abort(new LeadershipLostError(message, isTaken));
  }

  /** Tries once to acquire or renew the lease. The leadership counts from the time before the successful write. */
  async #attempt(signal: AbortSignal): Promise<Outcome> {
    const { clock, renewDeadline } = this.#options;
    const outcome = await this.#withTimeout(signal, (bounded) => this.#takeOrRenew(bounded));
    if (outcome !== 'held') return outcome;
    this.#until = this.#writtenAt + renewDeadline;
    this.#deadline?.cancel();
    this.#deadline = clock.setTimeout(
      () => {
        this.#lose(`no renewal within ${renewDeadline / 1000} s`);
      },
      Math.max(0, this.#until - clock.monotonic()),
    );
    return outcome;
  }

  async #withTimeout(signal: AbortSignal, request: (signal: AbortSignal) => Promise<Outcome>): Promise<Outcome> {
    const { clock, renewDeadline, retryPeriod } = this.#options;
    // Without AbortSignal.any, which leaks memory in a long-lived signal.
    const bounded = new AbortController();
    const abort = (): void => {
      bounded.abort(signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    // The end of a request ends its connection, and an API server in a storm needs longer for a new one than for an answer.
    const patience = this.isLeading ? renewDeadline / 2 : renewDeadline - retryPeriod;
    const timer = clock.setTimeout(() => {
      bounded.abort(new Error('the API server did not answer in time'));
    }, patience);
    try {
      return await request(bounded.signal);
    } catch (error) {
      if (signal.aborted) return 'failed';
      // Another process was faster; the next attempt reads its identity.
      if (isConflict(error) || isAlreadyExists(error)) this.#logger.debug({ err: error }, 'the lease has changed');
      else this.#logger.warn({ err: error }, 'the lease could not be read or written; trying again');
      return 'failed';
    } finally {
      timer.cancel();
      signal.removeEventListener('abort', abort);
    }
  }

  async #takeOrRenew(signal: AbortSignal): Promise<Outcome> {
    const { client, namespace, name, identity } = this.#options;
    if (this.isLeading && (await this.#isRenewed(signal))) return 'held';
    const lease = await client.find(LEASES, { namespace, name }, { signal });
    if (lease === undefined) {
      const draft = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { namespace, name } };
      this.#lease = await client.create(LEASES, { ...draft, spec: this.#spec(undefined) }, { signal });
      return 'held';
    }
    const holder = lease.spec?.holderIdentity ?? '';
    if (holder !== identity && holder !== '' && !this.#isExpired(lease)) return 'taken';
    // A lease that was never held has no time.
    if (holder !== identity) this.#wasReleased = holder === '' && lease.spec?.renewTime !== undefined;
    this.#lease = await client.replace(LEASES, { ...lease, spec: this.#spec(lease) }, { signal });
    return 'held';
  }

  /** Renews the lease as this process has written it, without a read. @returns false if it has changed since */
  async #isRenewed(signal: AbortSignal): Promise<boolean> {
    const lease = this.#lease;
    if (lease === undefined) return false;
    try {
      this.#lease = await this.#options.client.replace(LEASES, { ...lease, spec: this.#spec(lease) }, { signal });
      return true;
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) return false;
      throw error;
    }
  }

  /** Whether the holder has not renewed for the lease duration, measured by this process's own timer. */
  #isExpired(lease: Lease): boolean {
    const { clock, leaseDuration } = this.#options;
    const { holderIdentity, renewTime, acquireTime, leaseDurationSeconds } = lease.spec ?? {};
    const sign = [holderIdentity, renewTime, acquireTime].join('|');
    if (this.#seen?.sign !== sign) {
      this.#seen?.timer.cancel();
      const milliseconds = leaseDurationSeconds === undefined ? leaseDuration : leaseDurationSeconds * 1000;
      const seen = {
        sign,
        expired: false,
        timer: clock.setTimeout(() => {
          seen.expired = true;
        }, milliseconds),
      };
      this.#seen = seen;
    }
    return this.#seen.expired;
  }

  /** For a write that follows at once. */
  #spec(lease: Lease | undefined): NonNullable<Lease['spec']> {
    const { clock, identity, leaseDuration } = this.#options;
    this.#writtenAt = clock.monotonic();
    const now = microTimestamp(clock.now());
    const same = lease?.spec?.holderIdentity === identity;
    const transitions = lease?.spec?.leaseTransitions ?? 0;
    return {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(leaseDuration / 1000),
      acquireTime: same ? (lease.spec?.acquireTime ?? now) : now,
      renewTime: now,
      leaseTransitions: lease === undefined || same ? transitions : transitions + 1,
    };
  }

  /** Releases the lease, so that the next process does not wait until it expires. */
  async #release(): Promise<void> {
    const { clock } = this.#options;
    const outcome = await this.#withTimeout(new AbortController().signal, (signal) =>
      // A renewal that was given up may still arrive.
      retryOnConflict(() => this.#vacate(signal), { clock, signal, delays: RELEASE_DELAYS }),
    );
    if (outcome === 'held') this.#logger.info({}, 'lease released');
  }

  async #vacate(signal: AbortSignal): Promise<Outcome> {
    const { clock, client, namespace, name, identity } = this.#options;
    const lease = await client.find(LEASES, { namespace, name }, { signal });
    if (lease?.spec?.holderIdentity !== identity) return 'taken';
    const now = microTimestamp(clock.now());
    const { leaseTransitions = 0 } = lease.spec;
    const spec = { leaseDurationSeconds: 1, acquireTime: now, renewTime: now, leaseTransitions };
    await client.replace(LEASES, { ...lease, spec }, { signal });
    return 'held';
  }

  #tellMetrics(leader: boolean): void {
    this.#options.metrics?.leading(this.#options.name, leader);
  }
}
