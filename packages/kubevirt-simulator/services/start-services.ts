import {
  CachedWatch,
  Controller,
  EventRecorder,
  keyOf,
  PODS,
  refOf,
  self,
  SERVICES,
  source,
  type Cache,
  type Clock,
  type KubeClient,
  type Logger,
  type ObjectRef,
  type Pod,
  type Result,
  type Service,
} from '@groundcrew/controller-runtime';
import {
  servicePortsOf,
  type Endpoint,
  type Listen,
  type Protocol,
  type Proxy,
  type ServicePort,
} from './service-ports.ts';
import { TcpProxy } from './tcp-proxy.ts';
import { UdpProxy } from './udp-proxy.ts';

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

export interface BindFailure {
  service: ObjectRef;
  protocol: Protocol;
  address: string;
  port: number;
  /** `EADDRINUSE`, `EACCES`, … */
  code: string;
}

export interface ServiceProxyOptions {
  services: Cache<Service>;
  pods: Cache<Pod>;
  events: EventRecorder;
  /** Address of node ports. */
  nodeAddress: string;
  onBindFailure: (failure: BindFailure) => void;
  clock: Clock;
  logger: Logger;
}

/** Milliseconds between attempts to bind a port. */
const REBIND = 5_000;

/** Opens a proxy for each port of each Service. Pods are read directly: EndpointSlices may not have loopback addresses. */
class ServiceProxy {
  readonly #options: ServiceProxyOptions;
  /** By the Service's key, then by `proxyKey` or `substituteKey`. */
  readonly #open = new Map<string, Map<string, Proxy>>();

  constructor(options: ServiceProxyOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { services, pods, clock, logger } = this.#options;
    const controller = new Controller({
      name: 'service',
      reconcile: (ref) => this.#reconcile(ref),
      sources: [source(services, self), source(pods, (pod) => this.#servicesOf(pod))],
      workers: 2,
      clock,
      logger,
    });
    await controller.run(signal);
    const open = [...this.#open.values()];
    this.#open.clear();
    await Promise.all(open.flatMap((proxies) => [...proxies.values()].map((proxy) => proxy.close())));
  }

  /** The address of an open port; see `Services.addressOf`. */
  addressOf(ref: ObjectRef, name: string): { host: string; port: number } | undefined {
    const { services, nodeAddress } = this.#options;
    const service = services.get(ref);
    const port =
      service === undefined
        ? undefined
        : servicePortsOf(service, [], nodeAddress).find((candidate) => candidate.name === name);
    if (port === undefined) return undefined;
    const open = this.#open.get(keyOf(ref));
    const proxy = keysOf(port)
      .map((key) => open?.get(key))
      .find((candidate) => candidate !== undefined);
    return proxy === undefined ? undefined : { host: proxy.address.address, port: proxy.address.port };
  }

  #servicesOf(pod: Pod): ObjectRef[] {
    return this.#options.services
      .list(pod.metadata.namespace)
      .filter(({ spec }) => {
        const selector = Object.entries(spec?.selector ?? {});
        return selector.length > 0 && selector.every(([key, value]) => pod.metadata.labels?.[key] === value);
      })
      .map(refOf);
  }

  async #reconcile(ref: ObjectRef): Promise<Result | undefined> {
    const { services, pods, nodeAddress } = this.#options;
    const service = services.get(ref);
    const ports = service === undefined ? [] : servicePortsOf(service, pods.list(ref.namespace), nodeAddress);
    const key = keyOf(ref);
    const open = this.#open.get(key) ?? new Map<string, Proxy>();
    this.#open.set(key, open);
    const wanted = new Set(ports.flatMap(keysOf));
    for (const [name, proxy] of [...open]) {
      if (wanted.has(name)) continue;
      open.delete(name);
      await proxy.close();
    }
    let failed = false;
    for (const port of ports) {
      for (const at of port.listen) {
        const name = proxyKey(port.protocol, at);
        const proxy = open.get(name) ?? (await this.#bind(ref, port.protocol, at));
        if (proxy === undefined) failed ||= at.required;
        else open.set(name, proxy);
      }
      if (!keysOf(port).some((key) => open.has(key)) && hasSubstitute(port)) {
        const proxy = await this.#substitute(ref, port);
        if (proxy === undefined) failed = true;
        else open.set(substituteKey(port), proxy);
      }
      for (const name of keysOf(port)) open.get(name)?.setBackends(port.backends, port.draining);
    }
    if (open.size === 0) this.#open.delete(key);
    return failed ? { requeueAfter: REBIND } : undefined;
  }

  async #bind(ref: ObjectRef, protocol: Protocol, listen: Listen): Promise<Proxy | undefined> {
    const { logger, onBindFailure } = this.#options;
    const { address, port } = listen;
    try {
      return await this.#listen(protocol, listen);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
      logger.debug(
        { err: error, service: keyOf(ref), protocol, address, port },
        'a port of a Service could not be opened',
      );
      if (!listen.required) return undefined;
      onBindFailure({ service: ref, protocol, address, port, code });
      const remedy = 'free it, or give the Service another nodePort';
      this.#event(
        ref,
        'Warning',
        'PortNotOpened',
        `${protocol} ${address}:${port} cannot be opened (${code}): ${remedy}`,
      );
      return undefined;
    }
  }

  /** Opens a free loopback port instead of a cluster address that cannot be bound. */
  async #substitute(ref: ObjectRef, { protocol, name }: ServicePort): Promise<Proxy | undefined> {
    const { logger, nodeAddress } = this.#options;
    try {
      const proxy = await this.#listen(protocol, { address: nodeAddress, port: 0 });
      const { address, port } = proxy.address;
      logger.info(
        { service: keyOf(ref), protocol, port: name },
        `a port of a Service is reached at ${address}:${port}`,
      );
      const message = `${protocol} port ${name} is reached at ${address}:${port}: its cluster address cannot be bound here`;
      this.#event(ref, 'Normal', 'PortPublished', message);
      return proxy;
    } catch (error) {
      logger.warn(
        { err: error, service: keyOf(ref), protocol, port: name },
        'no free port was found for a port of a Service',
      );
      return undefined;
    }
  }

  #listen(protocol: Protocol, at: Endpoint): Promise<Proxy> {
    const { clock, logger } = this.#options;
    return protocol === 'UDP' ? UdpProxy.open(at, clock, logger) : TcpProxy.open(at, logger);
  }

  #event(ref: ObjectRef, type: 'Normal' | 'Warning', reason: string, message: string): void {
    const { events, services } = this.#options;
    const service = services.get(ref);
    if (service !== undefined) events.event(service, type, reason, message);
  }
}

/** Keys of the proxies that a port may have, the preferred one first. */
function keysOf(port: ServicePort): string[] {
  const keys = port.listen.map((at) => proxyKey(port.protocol, at));
  return hasSubstitute(port) ? [...keys, substituteKey(port)] : keys;
}

/** Whether the port has a cluster address and no node port. */
function hasSubstitute({ listen }: ServicePort): boolean {
  return listen.length > 0 && listen.every(({ required }) => !required);
}

function substituteKey({ protocol, name }: ServicePort): string {
  return `${protocol} in place of ${name}`;
}

function proxyKey(protocol: Protocol, { address, port }: Endpoint): string {
  return `${protocol} ${address}:${port}`;
}
