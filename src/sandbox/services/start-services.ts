import {
  CachedWatch,
  EventRecorder,
  PODS,
  SERVICES,
  type Clock,
  type KubeClient,
  type Logger,
} from '../../kube/index.ts';
import { ServiceProxy, type BindFailure } from './service-proxy.ts';

export interface ServicesOptions {
  /** May do everything. */
  client: KubeClient;
  clock: Clock;
  logger: Logger;
  /** Where node ports listen. Default 127.0.0.1. */
  nodeAddress?: string;
  /** Told of a node port that cannot be opened; it is tried again, and an Event on the Service tells people. */
  onBindFailure?: (failure: BindFailure) => void;
}

/**
 * Starts what kube-proxy does: Services are reached on this machine at their node
 * ports, and at their cluster addresses where the operating system lets them be bound. Resolves when it watches.
 */
export async function startServices(options: ServicesOptions): Promise<{ close(): Promise<void> }> {
  const { client, clock, logger, nodeAddress = '127.0.0.1', onBindFailure = () => undefined } = options;
  const stop = new AbortController();
  const services = new CachedWatch({ client, kind: SERVICES, clock, logger });
  const pods = new CachedWatch({ client, kind: PODS, clock, logger });
  const events = new EventRecorder({ client, component: 'kube-proxy', clock, logger });
  const caches = [services, pods];
  const running: Promise<void>[] = [services.run(stop.signal), pods.run(stop.signal)];
  await Promise.all(caches.map((cache) => cache.synced()));
  const proxy = new ServiceProxy({ services, pods, events, nodeAddress, onBindFailure, clock, logger });
  running.push(proxy.run(stop.signal));
  return {
    async close() {
      stop.abort();
      await Promise.allSettled(running);
      await events.flush();
    },
  };
}
