import { keyOf, sleep, type Clock, type Logger, type ObjectRef } from '@groundcrew/controller-runtime';
import { ImportError } from './import-error.ts';
import { NotStartable, type ImportOrder } from './import-order.ts';
import type { AddressCheck } from './internal-addresses.ts';
import { openHttp } from './open-http.ts';
import { receive, type Received } from './receive.ts';
import { Slots } from './slots.ts';

/** How long the importer is patient; milliseconds. */
export interface ImportTimes {
  /** For a connection to come about; CDI has 30 s. */
  connectTimeout: number;
  /** Without a byte; CDI has 10 minutes. */
  idleTimeout: number;
  /** Before an attempt that failed twice is repeated; doubled each time up to `maxBackOff`, as the kubelet does. */
  backOff: number;
  maxBackOff: number;
}

export interface ImporterOptions {
  times: ImportTimes;
  /** Imports that are under way at a time; others wait. */
  concurrency: number;
  mayConnect: () => AddressCheck;
  /** Told that the state of an import has changed. */
  onChange: (ref: ObjectRef) => void;
  clock: Clock;
  logger: Logger;
}

/** Where an import is; `restarts` counts the attempts after the first. */
export type ImportState = { restarts: number } & (
  | { phase: 'Waiting'; reason: string; message: string }
  | { phase: 'Running'; bytes: number; total: number | undefined }
  | { phase: 'Failed'; message: string }
  | { phase: 'Succeeded'; received: Received }
);

/** One claim's import; a claim that is made again under its name has another uid. */
export interface ImportKey extends ObjectRef {
  uid: string;
}

interface Job {
  state: ImportState;
  abort: AbortController;
  done: Promise<void>;
}

/**
 * Downloads, in place of CDI's importer pods: what fails is repeated without end, after a growing delay, until it
 * succeeds or its claim goes.
 */
export class Importer {
  readonly #options: ImporterOptions;
  readonly #slots: Slots;
  readonly #jobs = new Map<string, Job>();

  constructor(options: ImporterOptions) {
    this.#options = options;
    this.#slots = new Slots(options.concurrency);
  }

  /** The import of this claim, begun now where it is not under way. `order` is asked at each attempt. */
  ensure(key: ImportKey, order: () => Promise<ImportOrder>, restarts = 0): ImportState {
    const known = this.#jobs.get(key.uid);
    if (known !== undefined) return known.state;
    const job: Job = {
      state: { phase: 'Waiting', reason: 'ContainerCreating', message: '', restarts },
      abort: new AbortController(),
      done: Promise.resolve(),
    };
    this.#jobs.set(key.uid, job);
    job.done = this.#run(key, job, order);
    return job.state;
  }

  get(uid: string): ImportState | undefined {
    return this.#jobs.get(uid)?.state;
  }

  /** Breaks the download off where there is one, and forgets it. */
  abort(uid: string): void {
    this.#jobs.get(uid)?.abort.abort();
    this.#jobs.delete(uid);
  }

  /** Breaks all off; resolves when their connections are closed. */
  async close(): Promise<void> {
    const jobs = [...this.#jobs.values()];
    for (const { abort } of jobs) abort.abort();
    await Promise.all(jobs.map(({ done }) => done));
    this.#jobs.clear();
  }

  async #run(key: ImportKey, job: Job, order: () => Promise<ImportOrder>): Promise<void> {
    const { clock, times, logger } = this.#options;
    const { signal } = job.abort;
    const set = (state: ImportState): void => {
      job.state = state;
      this.#options.onChange(key);
    };
    let failures = 0;
    for (let { restarts } = job.state; !signal.aborted;) {
      try {
        const received = await this.#attempt(await order(), signal, (bytes, total) => {
          const begins = job.state.phase !== 'Running';
          job.state = { phase: 'Running', bytes, total, restarts };
          if (begins) this.#options.onChange(key);
        });
        set({ phase: 'Succeeded', received, restarts });
        return;
      } catch (error) {
        if (isAborted(signal)) return;
        if (error instanceof NotStartable) {
          set({ phase: 'Waiting', reason: error.reason, message: error.message, restarts });
          await sleep(clock, times.backOff, signal);
          continue;
        }
        if (!(error instanceof ImportError)) logger.error({ err: error, claim: keyOf(key) }, 'an import failed oddly');
        set({ phase: 'Failed', message: error instanceof Error ? error.message : String(error), restarts });
      }
      failures += 1;
      await sleep(clock, backOffAfter(failures, times), signal);
      restarts += 1;
    }
  }

  async #attempt(
    { http, available }: ImportOrder,
    signal: AbortSignal,
    onProgress: (bytes: number, total: number | undefined) => void,
  ): Promise<Received> {
    const { times, mayConnect, clock } = this.#options;
    const leave = await this.#slots.enter(signal);
    try {
      onProgress(0, undefined);
      const options = { connectTimeout: times.connectTimeout, mayConnect: mayConnect(), clock, signal };
      const { total, body } = await openHttp(http, options);
      return await receive(body, {
        url: new URL(http.url),
        total,
        available,
        checksum: http.checksum,
        idleTimeout: times.idleTimeout,
        clock,
        onBytes: (bytes) => {
          onProgress(bytes, total);
        },
      });
    } finally {
      leave();
    }
  }
}

/** Asked anew each time, which the compiler takes to be constant. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** The kubelet's: an attempt that failed once is repeated at once. */
function backOffAfter(failures: number, { backOff, maxBackOff }: ImportTimes): number {
  return failures === 1 ? 0 : Math.min(backOff * 2 ** (failures - 2), maxBackOff);
}
