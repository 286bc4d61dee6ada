import {
  Controller,
  keyOf,
  refOf,
  self,
  source,
  type Cache,
  type Clock,
  type EventRecorder,
  type Logger,
  type ObjectRef,
  type Pod,
  type Result,
  type Service,
} from '../../kube/index.ts';
import type { Proxy } from './proxy.ts';
import { servicePortsOf, type Endpoint, type Listen, type Protocol } from './service-ports.ts';
import { TcpProxy } from './tcp-proxy.ts';
import { UdpProxy } from './udp-proxy.ts';

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
  /** Where node ports listen. */
  nodeAddress: string;
  onBindFailure: (failure: BindFailure) => void;
  clock: Clock;
  logger: Logger;
}

/** Milliseconds until a port that could not be bound is tried again. */
const REBIND = 5_000;

/**
 * Keeps a proxy open for each port of each Service. There are no EndpointSlices: the API server takes no loopback
 * address in one.
 */
export class ServiceProxy {
  readonly #options: ServiceProxyOptions;
  /** By the Service's key, then by protocol, address and port. */
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
    await Promise.all(
      [...this.#open.values()].flatMap((proxies) => [...proxies.values()].map((proxy) => proxy.close())),
    );
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
    const wanted = new Set(ports.flatMap(({ protocol, listen }) => listen.map((at) => proxyKey(protocol, at))));
    for (const [name, proxy] of [...open]) {
      if (wanted.has(name)) continue;
      open.delete(name);
      await proxy.close();
    }
    let failed = false;
    for (const { protocol, listen, backends } of ports) {
      for (const at of listen) {
        const proxy = open.get(proxyKey(protocol, at)) ?? (await this.#bind(ref, protocol, at));
        if (proxy === undefined) {
          failed ||= at.required;
          continue;
        }
        open.set(proxyKey(protocol, at), proxy);
        proxy.setBackends(backends);
      }
    }
    if (open.size === 0) this.#open.delete(key);
    return failed ? { requeueAfter: REBIND } : undefined;
  }

  async #bind(ref: ObjectRef, protocol: Protocol, listen: Listen): Promise<Proxy | undefined> {
    const { clock, logger, onBindFailure, events, services } = this.#options;
    const { address, port } = listen;
    try {
      return protocol === 'UDP' ? await UdpProxy.open(listen, clock, logger) : await TcpProxy.open(listen, logger);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
      logger.debug(
        { err: error, service: keyOf(ref), protocol, address, port },
        'a port of a Service could not be opened',
      );
      if (!listen.required) return undefined;
      onBindFailure({ service: ref, protocol, address, port, code });
      const service = services.get(ref);
      const message = `${protocol} ${address}:${port} cannot be opened (${code}): free it, or give the Service another nodePort`;
      if (service !== undefined) events.event(service, 'Warning', 'PortNotOpened', message);
      return undefined;
    }
  }
}

function proxyKey(protocol: Protocol, { address, port }: Endpoint): string {
  return `${protocol} ${address}:${port}`;
}
