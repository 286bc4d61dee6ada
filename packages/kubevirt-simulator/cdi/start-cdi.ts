import {
  CachedWatch,
  EventRecorder,
  type Clock,
  type Kind,
  type KubeClient,
  type KubeObject,
  type Logger,
} from '@groundcrew/controller-runtime';
import { issueServerCertificate } from '@groundcrew/apiserver/certificates';
import { ClaimBinder } from './claims/claim-binder.ts';
import { ConfigController } from './config/config-controller.ts';
import type { ImportTimes } from './importer/importer.ts';
import { CDI_CONFIGS, CLAIMS, DATA_VOLUMES, STORAGE_CLASSES, STORAGE_PROFILES } from './objects.ts';
import { deregisterWebhook, registerKinds, registerWebhook, WEBHOOK_HOST } from './registration.ts';
import type { CdiVersion } from './version.ts';
import { DataVolumeController } from './volumes/data-volume-controller.ts';
import { startWebhookServer } from './webhook/webhook-server.ts';

export interface CdiOptions {
  /** May do everything. */
  client: KubeClient;
  clock: Clock;
  logger: Logger;
  /** The release that it is. Default 1.66. */
  version?: CdiVersion;
  /** Default CDI's own: 30 s to connect, 10 min without a byte, 10 s to 5 min between attempts. */
  times?: Partial<ImportTimes>;
  /** Milliseconds between two updates of an import's progress. Default 2 s, CDI's. */
  progressInterval?: number;
  /** Imports at a time. Default 4. */
  concurrency?: number;
  /**
   * Refuse to import from private, loopback and link-local addresses that `CDIConfig.spec.allowedSourceURLs` does not
   * list. Default false: no release does.
   */
  blockInternalAddresses?: boolean;
}

/** A CDI that really downloads, and storage that is not there. */
export interface Cdi {
  /** Breaks off what is under way; the next CDI begins it anew. */
  close(): Promise<void>;
}

/** Where the webhook listens. */
const HOST = '127.0.0.1';

const TIMES: ImportTimes = { connectTimeout: 30_000, idleTimeout: 600_000, backOff: 10_000, maxBackOff: 300_000 };

/** Starts CDI beside any API server; resolves when DataVolumes can be created and are filled. */
export async function startCdi(options: CdiOptions): Promise<Cdi> {
  const { client, clock, logger, version = '1.66' } = options;
  const stop = new AbortController();
  const [certificate] = await Promise.all([
    issueServerCertificate({ dnsNames: [WEBHOOK_HOST, 'localhost'], addresses: [HOST], now: clock.now() }),
    registerKinds(client, version),
  ]);
  const webhook = await startWebhookServer({
    host: HOST,
    certificate: certificate.cert,
    key: certificate.key,
    client,
    logger,
  });

  const running: Promise<void>[] = [];
  const watch = async <T extends KubeObject>(kind: Kind<T>): Promise<CachedWatch<T>> => {
    const cache = new CachedWatch({ client, kind, clock, logger });
    running.push(cache.run(stop.signal));
    // The API server takes a moment to serve kinds that it has accepted.
    await cache.synced(stop.signal);
    return cache;
  };
  const [, dataVolumes, claims, classes, profiles, configs] = await Promise.all([
    registerWebhook(client, webhook.port, certificate.ca),
    watch(DATA_VOLUMES),
    watch(CLAIMS),
    watch(STORAGE_CLASSES),
    watch(STORAGE_PROFILES),
    watch(CDI_CONFIGS),
  ]);
  const events = new EventRecorder({ client, component: 'datavolume-import-controller', clock, logger });
  const shared = { client, claims, classes, profiles, configs, clock, logger };
  const dataVolumeController = new DataVolumeController({
    ...shared,
    dataVolumes,
    events,
    times: { ...TIMES, ...options.times },
    progressInterval: options.progressInterval ?? 2_000,
    concurrency: options.concurrency ?? 4,
    blockInternalAddresses: options.blockInternalAddresses ?? false,
  });
  running.push(
    new ConfigController(shared).run(stop.signal),
    new ClaimBinder(shared).run(stop.signal),
    dataVolumeController.run(stop.signal),
  );

  return {
    async close() {
      stop.abort();
      await Promise.allSettled(running);
      await Promise.allSettled([events.flush(), deregisterWebhook(client)]);
      await webhook.close();
    },
  };
}
