import type { Pod, Service } from '@groundcrew/controller-runtime';

export type Protocol = 'TCP' | 'UDP';

/** An address that a program listens on. */
export interface Endpoint {
  address: string;
  port: number;
}

/** One port of a Service: its addresses, and the pods that answer. */
export interface ServicePort {
  protocol: Protocol;
  /** Its name, else its number. */
  name: string;
  listen: readonly Listen[];
  backends: readonly Endpoint[];
  /** Pods that get no new connections but keep their old ones: of TCP all others, of UDP terminating ones that are ready. */
  draining: readonly Endpoint[];
}

/** A node port is required; a cluster address is bound if the operating system permits it. */
export interface Listen extends Endpoint {
  required: boolean;
}

/**
 * The address from which a proxy sends for a client, so that pods can tell clients of 127.0.0.0/8 apart, as with
 * `externalTrafficPolicy: Local`. For others, the system chooses.
 */
export function sourceFor(client: string | undefined): { localAddress?: string } {
  return client?.startsWith('127.') === true && client !== '127.0.0.1' ? { localAddress: client } : {};
}

/** The ports of a Service. `pods` are all pods of its namespace. */
export function servicePortsOf(service: Service, pods: readonly Pod[], nodeAddress: string): ServicePort[] {
  const { spec } = service;
  const selector = Object.entries(spec?.selector ?? {});
  if (selector.length === 0 || spec?.type === 'ExternalName') return [];
  const selected = pods.filter((pod) => selector.every(([key, value]) => pod.metadata.labels?.[key] === value));
  const ready = new Set(selected.filter(isReady));
  return (spec?.ports ?? []).flatMap(({ protocol = 'TCP', port, nodePort, targetPort, name }) => {
    if (protocol !== 'TCP' && protocol !== 'UDP') return [];
    const clusterIp = spec?.clusterIP;
    const listen: Listen[] = [];
    if (nodePort !== undefined && nodePort > 0) listen.push({ address: nodeAddress, port: nodePort, required: true });
    if (clusterIp !== undefined && clusterIp !== '' && clusterIp !== 'None') {
      listen.push({ address: clusterIp, port, required: false });
    }
    const endpointsOf = (some: readonly Pod[]) => some.flatMap((pod) => backendOf(pod, targetPort ?? port));
    const backends = endpointsOf([...ready]);
    const draining = endpointsOf(
      // A connection of TCP outlives the endpoint, also if the Service no longer selects its pod.
      protocol === 'TCP'
        ? pods.filter((pod) => !ready.has(pod))
        : selected.filter((pod) => !ready.has(pod) && answers(pod)),
    );
    return [{ protocol, name: name ?? String(port), listen, backends, draining }];
  });
}

/** The endpoint of a pod for a target port, which is a number or the name of a container port. */
function backendOf(pod: Pod, targetPort: unknown): Endpoint[] {
  const address = pod.status?.podIP;
  const ports = (pod.spec?.containers ?? []).flatMap((container) => container.ports ?? []);
  const port =
    typeof targetPort === 'number' ? targetPort : ports.find(({ name }) => name === targetPort)?.containerPort;
  return address === undefined || port === undefined ? [] : [{ address, port }];
}

function isReady(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp === undefined && answers(pod);
}

/** Also of a terminating pod. */
function answers({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
}

/** Chooses backends in turn. */
export class Balancer {
  #backends: readonly Endpoint[] = [];
  #next = 0;

  get size(): number {
    return this.#backends.length;
  }

  set(backends: readonly Endpoint[]): void {
    this.#backends = backends;
  }

  has(backend: Endpoint): boolean {
    return isAmong(this.#backends, backend);
  }

  /** The next backend; undefined without backends. */
  pick(): Endpoint | undefined {
    if (this.#backends.length === 0) return undefined;
    this.#next = (this.#next + 1) % this.#backends.length;
    return this.#backends[this.#next];
  }
}

export function isAmong(backends: readonly Endpoint[], { address, port }: Endpoint): boolean {
  return backends.some((backend) => backend.address === address && backend.port === port);
}

/** An open port whose traffic is forwarded to backends. */
export interface Proxy {
  /** The address that it listens on; port 0 is replaced by the chosen port. */
  readonly address: Endpoint;
  /** Ends or moves the traffic of other backends. Connections to a `draining` backend continue. */
  setBackends(backends: readonly Endpoint[], draining?: readonly Endpoint[]): void;
  close(): Promise<void>;
}
