import type { Clock, EventRecorder, KubeClient, Logger, Metrics } from '@groundcrew/controller-runtime';
import type { NetworkCaches } from './caches.ts';

/** What every controller of networks is made with. */
export interface NetworkControllerOptions {
  client: KubeClient;
  caches: NetworkCaches;
  events: EventRecorder;
  clock: Clock;
  logger: Logger;
  metrics?: Metrics | undefined;
}
