import {
  CachedWatch,
  EventRecorder,
  PODS,
  SERVICES,
  type Clock,
  type KubeClient,
  type Logger,
  type ObjectRef,
} from '@groundcrew/controller-runtime';
import { ServiceProxy, type BindFailure } from './service-proxy.ts';

export interface ServicesOptions {
  /** May do everything. */
  client: KubeClient;
  clock: Clock;
  logger: Logger;
  /** Where node ports listen. Default 127.0.0.1. */
  nodeAddress?: string;
  /** Told of a node port that cannot be opened, at each attempt: it is tried again. An Event on the Service tells people. */
  onBindFailure?: (failure: BindFailure) => void;
}

/** What runs, and where its ports are. */
export interface Services {
  /**
   * Where a port of a Service is reached on this machine: at its node port; without one at the cluster address; and
   * where the operating system does not let that be bound (a port below 1024, and no root), at a loopback port that
   * was free. Undefined while none of them is open.
   *
   * @param port its name, or its number in decimals where it has none
   */
  addressOf(service: ObjectRef, port: string): { host: string; port: number } | undefined;
  close(): Promise<void>;
}

/**
 * Starts what kube-proxy does: Services are reached on this machine at their node
 * ports, and at their cluster addresses or in place of those at loopback ports, see {@link Services.addressOf}. Resolves when it watches.
 */
export async function startServices(options: ServicesOptions): Promise<Services> {
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
    addressOf: (service, port) => proxy.addressOf(service, port),
    async close() {
      stop.abort();
      await Promise.allSettled(running);
      await events.flush();
    },
  };
}
