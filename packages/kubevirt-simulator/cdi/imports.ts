import { sleep, type Clock, type Logger, type ObjectRef } from '@groundcrew/controller-runtime';
import { download, DownloadError, type DownloadOrder } from './download.ts';

/** Times of the importer, milliseconds. */
export interface ImportTimes {
  /** Longest time without an answer or data. */
  timeout: number;
  /** Delay after the second failure; doubled for each further one up to `maxBackOff`. */
  backOff: number;
  maxBackOff: number;
}

/** State of an import; `restarts` counts the attempts after the first. */
export type ImportState = { restarts: number } & (
  | { phase: 'Waiting'; message: string }
  | { phase: 'Running'; bytes: number; total: number | undefined }
  | { phase: 'Failed'; message: string }
  | { phase: 'Succeeded' }
);

/** A Secret or ConfigMap of the source is missing. */
export class MissingObject extends Error {
  override readonly name = 'MissingObject';
}

export interface ImportsOptions {
  times: ImportTimes;
  /** Called when the state of an import has changed. */
  onChange: (ref: ObjectRef) => void;
  clock: Clock;
  logger: Logger;
}

interface Job {
  state: ImportState;
  abort: AbortController;
  done: Promise<void>;
}

export interface Imports {
  /** State of the import into the claim with this uid; starts it if necessary. */
  ensure(uid: string, ref: ObjectRef, order: () => Promise<DownloadOrder>, restarts: number): ImportState;
  /** Aborts the imports of this DataVolume into other claims. */
  keepOnly(ref: ObjectRef, uid: string | undefined): void;
  close(): Promise<void>;
}

/** Replaces CDI's importer pods. A failed attempt is repeated until it succeeds or the claim is deleted. */
export function createImports(options: ImportsOptions): Imports {
  const { onChange } = options;
  const jobs = new Map<string, Job & { ref: ObjectRef }>();
  return {
    ensure: (uid, ref, order, restarts) => {
      const known = jobs.get(uid);
      if (known !== undefined) return known.state;
      const abort = new AbortController();
      const job = { ref, abort, done: Promise.resolve(), state: waiting('', restarts) };
      jobs.set(uid, job);
      job.done = repeat(job, order, options, () => {
        onChange(ref);
      });
      return job.state;
    },
    keepOnly: (ref, uid) => {
      for (const [key, job] of jobs) {
        if (key === uid || job.ref.name !== ref.name || job.ref.namespace !== ref.namespace) continue;
        job.abort.abort();
        jobs.delete(key);
      }
    },
    close: async () => {
      for (const { abort } of jobs.values()) abort.abort();
      await Promise.all([...jobs.values()].map(({ done }) => done));
    },
  };
}

async function repeat(
  job: Job,
  order: () => Promise<DownloadOrder>,
  { times, clock, logger }: ImportsOptions,
  changed: () => void,
): Promise<void> {
  const { signal } = job.abort;
  const set = (state: ImportState): void => {
    job.state = state;
    changed();
  };
  let { restarts } = job.state;
  for (let failures = 0; !signal.aborted;) {
    const onProgress = (bytes: number, total: number | undefined): void => {
      const hasBegun = job.state.phase === 'Running';
      job.state = { phase: 'Running', bytes, total, restarts };
      if (!hasBegun) changed();
    };
    try {
      const read = await order();
      onProgress(0, undefined);
      await download(read, { timeout: times.timeout, clock, signal, onProgress });
      set({ phase: 'Succeeded', restarts });
      return;
    } catch (error) {
      if (isAborted(signal)) return;
      if (error instanceof MissingObject) {
        set(waiting(error.message, restarts));
        await sleep(clock, times.backOff, signal);
        continue;
      }
      const message = error instanceof Error ? error.message : String(error);
      if (!(error instanceof DownloadError)) logger.warn({ err: error }, 'an import failed');
      set({ phase: 'Failed', message, restarts });
      failures += 1;
      // The first retry is immediate, as by kubelet.
      const delay = failures === 1 ? 0 : Math.min(times.backOff * 2 ** (failures - 2), times.maxBackOff);
      await sleep(clock, delay, signal);
      restarts += 1;
    }
  }
}

function waiting(message: string, restarts: number): ImportState {
  return { phase: 'Waiting', message, restarts };
}

/** A function, because the compiler narrows the property to a constant. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
