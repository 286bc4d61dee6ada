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
  /** A client with all permissions. */
  client: KubeClient;
  clock: Clock;
  logger: Logger;
  /** Address of node ports. Default 127.0.0.1. */
  nodeAddress?: string;
  /** Called after each failed attempt to open a node port. The Service gets an Event too. */
  onBindFailure?: (failure: BindFailure) => void;
}

export interface Services {
  /**
   * The address of a port of a Service on this machine: its node port; without one its cluster address; or, if that
   * cannot be bound (a port below 1024 without root), a free loopback port. Undefined while none is open.
   *
   * @param port its name, else its number
   */
  addressOf(service: ObjectRef, port: string): { host: string; port: number } | undefined;
  close(): Promise<void>;
}

/** Starts a kube-proxy that opens the ports of Services, see {@link Services.addressOf}. Resolves when it watches. */
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
