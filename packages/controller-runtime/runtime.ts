import type { CachedWatch } from './cache/cached-watch.ts';
import { aborted, type Clock, sleep } from './clock.ts';
import type { Controller } from './controller/controller.ts';
import { type Address, type Check, HealthServer } from './health-server.ts';
import type { LeaderElection } from './leader-election.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';
import type { KubeObject } from './objects.ts';

/** The part of CachedWatch that the runtime uses. */
export type RunnableCache = Pick<CachedWatch<KubeObject>, 'hasSynced' | 'absent' | 'settled' | 'run'> & {
  readonly kind: { readonly plural: string };
};

/** The part of Controller that the runtime uses; any object that runs until its signal is aborted fits. */
export type RunnableController = Pick<Controller, 'name' | 'run'>;

export interface RuntimeOptions {
  clock: Clock;
  logger: Logger;
  metrics?: Metrics;
  /** Address for `/healthz`, `/readyz` and `/metrics`; absent: not served. */
  address?: Address;
  /** Absent: the controllers start without leader election. */
  leaderElection?: LeaderElection;
  /** Milliseconds within which all caches must have synced. Default 120,000. */
  syncTimeout?: number;
  /** Milliseconds that controllers have to finish after the stop. Default 30,000. */
  stopTimeout?: number;
}

/** A cache did not sync in time. */
export class CacheSyncError extends Error {
  override readonly name = 'CacheSyncError';
  readonly code = 'CacheSyncTimeout';
}

/**
 * Starts caches, waits for leadership, then runs controllers; stops them in reverse order. The equivalent in Go's
 * controller-runtime is the Manager.
 *
 * @example const runtime = new Runtime({ clock: systemClock, logger, address: { host: '::', port: 8080 } });
 * runtime.addCache(pods); runtime.addController(new Controller({ name: 'pods', reconcile, sources: [source(pods,
 * self)], clock, logger })); await runtime.run(signal);
 */
export class Runtime {
  readonly #options: RuntimeOptions;
  readonly #caches: RunnableCache[] = [];
  readonly #controllers: RunnableController[] = [];
  readonly #healthz = new Map<string, Check>();
  readonly #readyz = new Map<string, Check>();
  #port: number | undefined;

  constructor(options: RuntimeOptions) {
    this.#options = options;
    this.#readyz.set('caches', () => this.#unsynced());
  }

  /** The port of the health server while it is listening. */
  get port(): number | undefined {
    return this.#port;
  }

  addCache(cache: RunnableCache): void {
    this.#caches.push(cache);
  }

  addController(controller: RunnableController): void {
    this.#controllers.push(controller);
  }

  addCheck(probe: 'healthz' | 'readyz', name: string, check: Check): void {
    (probe === 'healthz' ? this.#healthz : this.#readyz).set(name, check);
  }

  /**
   * Runs until `signal` is aborted, and resolves when everything has stopped.
   *
   * @throws CacheSyncError, LeadershipLostError, errors of a controller's `run`, and errors of the health server's
   * listen. In each case the process should exit with an error.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { address, metrics, logger, leaderElection } = this.#options;
    const server = new HealthServer({ healthz: this.#healthz, readyz: this.#readyz, metrics, logger });
    const ended = new AbortController();
    const caching: Promise<void>[] = [];
    try {
      if (address !== undefined) this.#port = await server.listen(address);
      caching.push(...this.#caches.map((cache) => cache.run(ended.signal)));
      await this.#sync(signal);
      if (signal.aborted) return;
      if (leaderElection === undefined) await this.#control(signal);
      else await leaderElection.run(signal, (leading) => this.#control(leading));
    } finally {
      ended.abort();
      await Promise.all(caching);
      await server.close();
      this.#port = undefined;
    }
  }

  async #sync(signal: AbortSignal): Promise<void> {
    const { clock, syncTimeout = 120_000 } = this.#options;
    const late = new AbortController();
    const timer = clock.setTimeout(() => {
      late.abort();
    }, syncTimeout);
    const either = AbortSignal.any([signal, late.signal]);
    try {
      await Promise.all(this.#caches.map((cache) => cache.settled(either)));
    } catch (error) {
      if (signal.aborted) return;
      const unsynced = this.#unsynced() ?? 'unknown';
      throw new CacheSyncError(`after ${syncTimeout / 1000} s: ${unsynced}; see the log for the reason`, {
        cause: error,
      });
    } finally {
      timer.cancel();
    }
  }

  async #control(signal: AbortSignal): Promise<void> {
    const { clock, logger, stopTimeout = 30_000 } = this.#options;
    const failed = new AbortController();
    const stop = AbortSignal.any([signal, failed.signal]);
    const running = Promise.all(
      this.#controllers.map(async (controller) => {
        try {
          await controller.run(stop);
        } catch (error) {
          logger.error({ err: error, controller: controller.name }, 'a controller ended; stopping the others');
          failed.abort(error);
        }
      }),
    );
    await aborted(stop);
    const patience = new AbortController();
    const inTime = await Promise.race([
      running.then(() => true),
      sleep(clock, stopTimeout, patience.signal).then(() => false),
    ]);
    patience.abort();
    if (!inTime) logger.warn({ stopTimeout }, 'reconciles did not end in time; leaving them');
    failed.signal.throwIfAborted();
  }

  #unsynced(): string | undefined {
    const missing = this.#caches.filter((cache) => !cache.hasSynced && !cache.absent);
    if (missing.length === 0) return undefined;
    return `not yet in: ${missing.map((cache) => cache.kind.plural).join(', ')}`;
  }
}
