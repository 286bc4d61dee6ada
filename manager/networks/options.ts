import type { Clock, EventRecorder, KubeClient, Logger, Metrics } from '@groundcrew/controller-runtime';
import type { NetworkCaches } from './caches.ts';

/** Options common to all network controllers. */
export interface NetworkControllerOptions {
  client: KubeClient;
  caches: NetworkCaches;
  events: EventRecorder;
  clock: Clock;
  logger: Logger;
  metrics?: Metrics | undefined;
}
