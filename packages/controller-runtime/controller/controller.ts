import type { Clock } from '../clock.ts';
import { isConflict, TerminalError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { Metrics, ReconcileResult } from '../metrics.ts';
import { keyOf, type ObjectRef } from '../objects.ts';
import { Queue, type RateLimit } from './queue.ts';
import type { Source } from './source.ts';

export interface Result {
  /** Milliseconds until the next reconcile without a change. */
  requeueAfter?: number;
}

/**
 * Reconciles one object: reads the current state and makes it match the spec. It gets the name of the object, not the
 * change, and must be idempotent. Calls for one object never overlap. An error is retried after a growing delay; a
 * TerminalError only after the object changes.
 */
export type Reconcile = (ref: ObjectRef, signal: AbortSignal) => Promise<Result | void>;

export interface ControllerOptions {
  /** Name in logs and metrics. */
  name: string;
  reconcile: Reconcile;
  sources: readonly Source[];
  /** Number of objects reconciled in parallel. Default 1. */
  workers?: number;
  clock: Clock;
  logger: Logger;
  metrics?: Metrics | undefined;
  /** Delay of retries after errors. Default: 5 ms to 1000 s. */
  rateLimit?: RateLimit;
}

/** Calls a reconciler for each object that its sources enqueue. */
export class Controller {
  readonly name: string;
  readonly #options: ControllerOptions;
  readonly #logger: Logger;
  readonly #queue: Queue;
  #ran = false;

  constructor(options: ControllerOptions) {
    this.name = options.name;
    this.#options = options;
    this.#logger = options.logger.child({ controller: options.name });
    this.#queue = new Queue(options);
  }

  /** Enqueues `ref`, also before the controller runs. */
  enqueue(ref: ObjectRef): void {
    this.#queue.add(ref);
  }

  /**
   * Runs until `signal` is aborted and the reconciles in progress have ended; queued objects are dropped. The caches of
   * the sources should have synced. A controller runs once.
   */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#ran) throw new TypeError(`controller ${this.name} ran already`);
    this.#ran = true;
    const { sources, workers = 1, metrics } = this.#options;
    metrics?.controllerStarted(this.name, workers);
    const close = (): void => {
      this.#queue.close();
    };
    signal.addEventListener('abort', close, { once: true });
    if (signal.aborted) close();
    const stops = sources.map((source) =>
      source.start((ref) => {
        this.#queue.add(ref);
      }),
    );
    try {
      await Promise.all(Array.from({ length: workers }, () => this.#work(signal)));
    } finally {
      for (const stop of stops) stop();
      signal.removeEventListener('abort', close);
    }
  }

  async #work(signal: AbortSignal): Promise<void> {
    for (let ref = await this.#queue.take(); ref !== undefined; ref = await this.#queue.take()) {
      await this.#reconcile(ref, signal);
      this.#queue.done(ref);
    }
  }

  async #reconcile(ref: ObjectRef, signal: AbortSignal): Promise<void> {
    const { reconcile, clock, metrics } = this.#options;
    const started = clock.monotonic();
    let outcome: ReconcileResult;
    metrics?.reconcileStarted(this.name);
    try {
      const result = await reconcile(ref, signal);
      this.#queue.forget(ref);
      outcome = result?.requeueAfter === undefined ? 'success' : 'requeue_after';
      if (result?.requeueAfter !== undefined) this.#queue.addAfter(ref, result.requeueAfter);
    } catch (error) {
      outcome = 'error';
      this.#failed(ref, error, signal);
    }
    metrics?.reconcileEnded(this.name, outcome, (clock.monotonic() - started) / 1000);
  }

  #failed(ref: ObjectRef, error: unknown, signal: AbortSignal): void {
    const fields = { err: error, object: keyOf(ref) };
    if (signal.aborted) {
      this.#logger.debug(fields, 'a reconcile was cut short');
    } else if (error instanceof TerminalError) {
      this.#queue.forget(ref);
      this.#options.metrics?.reconcileFailedForGood(this.name);
      this.#logger.error(fields, 'a reconcile failed for good; it waits until the object changes');
    } else {
      this.#queue.addRateLimited(ref);
      // A conflict is expected; the retry resolves it.
      if (isConflict(error)) this.#logger.debug(fields, 'a reconcile met a conflict; trying again');
      else this.#logger.error(fields, 'a reconcile failed; trying again');
    }
  }
}
