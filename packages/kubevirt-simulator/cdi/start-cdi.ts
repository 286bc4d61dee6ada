import {
  CachedWatch,
  Controller,
  self,
  source,
  unlessGone,
  type Cache,
  type Clock,
  type Kind,
  type KubeClient,
  type KubeObject,
  type Logger,
} from '@groundcrew/controller-runtime';
import { runDataVolumeController } from './data-volume-controller.ts';
import type { ImportTimes } from './imports.ts';
import { CLAIMS, DATA_VOLUMES, PROVISIONER, registerCdi, STORAGE_CLASS, type Claim } from './objects.ts';

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

export interface ClaimBinderOptions {
  client: KubeClient;
  claims: Cache<Claim>;
  clock: Clock;
  logger: Logger;
}

/** The finalizer that the API server adds to claims. */
const PROTECTION = 'kubernetes.io/pvc-protection';

/** Binds the claims of the simulator's StorageClass, without volumes, and removes the finalizer of deleted claims. */
async function runClaimBinder(options: ClaimBinderOptions, signal: AbortSignal): Promise<void> {
  const { client, claims, clock, logger } = options;
  const controller = new Controller({
    name: 'claim-binder',
    reconcile: async (ref) => {
      const claim = claims.get(ref);
      if (claim !== undefined) await unlessGone(() => step(claim, client));
    },
    sources: [source(claims, self)],
    clock,
    logger,
  });
  await controller.run(signal);
}

/** One write; its watch event leads to the next one. */
async function step(claim: Claim, client: KubeClient): Promise<void> {
  const { metadata, spec = {}, status } = claim;
  const { resourceVersion } = metadata;
  if (metadata.deletionTimestamp !== undefined) {
    const finalizers = metadata.finalizers ?? [];
    if (!finalizers.includes(PROTECTION)) return;
    const kept = finalizers.filter((finalizer) => finalizer !== PROTECTION);
    await client.patch(CLAIMS, metadata, 'merge', { metadata: { resourceVersion, finalizers: kept } });
  } else if (status?.phase === 'Bound' || status?.phase === 'Lost') {
    return;
  } else if (spec.storageClassName === undefined) {
    const patch = { metadata: { resourceVersion }, spec: { storageClassName: STORAGE_CLASS } };
    await client.patch(CLAIMS, metadata, 'merge', patch);
  } else if (spec.storageClassName === STORAGE_CLASS && spec.volumeName === undefined) {
    const annotations = {
      'pv.kubernetes.io/bind-completed': 'yes',
      'pv.kubernetes.io/bound-by-controller': 'yes',
      'volume.kubernetes.io/storage-provisioner': PROVISIONER,
    };
    const volumeName = `pvc-${metadata.uid ?? ''}`;
    await client.patch(CLAIMS, metadata, 'merge', { metadata: { resourceVersion, annotations }, spec: { volumeName } });
  } else if (spec.storageClassName === STORAGE_CLASS) {
    const capacity = { storage: spec.resources?.requests?.['storage'] ?? '0' };
    const bound: Claim['status'] = { phase: 'Bound', accessModes: spec.accessModes ?? [], capacity };
    await client.replace(CLAIMS, { ...claim, status: bound }, { subresource: 'status' });
  }
}
