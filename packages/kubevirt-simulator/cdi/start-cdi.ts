import {
  CachedWatch,
  type Clock,
  type Kind,
  type KubeClient,
  type KubeObject,
  type Logger,
} from '@groundcrew/controller-runtime';
import { runClaimBinder } from './claim-binder.ts';
import { runDataVolumeController } from './data-volume-controller.ts';
import { registerCdi } from './definitions.ts';
import type { ImportTimes } from './imports.ts';
import { CLAIMS, DATA_VOLUMES } from './objects.ts';

export interface CdiOptions {
  /** A client with all permissions. */
  client: KubeClient;
  clock: Clock;
  logger: Logger;
  /** Default: 30 s without an answer or data, 10 s to 5 min between attempts. */
  times?: Partial<ImportTimes>;
  /** Milliseconds between two updates of an import's progress. Default 2 s, as CDI's. */
  progressInterval?: number;
}

export interface Cdi {
  /** Aborts running imports; the next CDI restarts them. */
  close(): Promise<void>;
}

const TIMES: ImportTimes = { timeout: 30_000, backOff: 10_000, maxBackOff: 300_000 };

/** Starts CDI, which downloads images and discards them. Resolves when DataVolumes can be created. */
export async function startCdi({ client, clock, logger, times, progressInterval = 2_000 }: CdiOptions): Promise<Cdi> {
  const stop = new AbortController();
  const running: Promise<void>[] = [];
  const watch = async <T extends KubeObject>(kind: Kind<T>): Promise<CachedWatch<T>> => {
    const cache = new CachedWatch({ client, kind, clock, logger });
    running.push(cache.run(stop.signal));
    // The API server serves a new kind after a moment.
    await cache.synced(stop.signal);
    return cache;
  };
  await registerCdi(client);
  const [dataVolumes, claims] = await Promise.all([watch(DATA_VOLUMES), watch(CLAIMS)]);
  const shared = { client, claims, clock, logger };
  running.push(
    runClaimBinder(shared, stop.signal),
    runDataVolumeController({ ...shared, dataVolumes, times: { ...TIMES, ...times }, progressInterval }, stop.signal),
  );
  return {
    async close() {
      stop.abort();
      await Promise.allSettled(running);
    },
  };
}
