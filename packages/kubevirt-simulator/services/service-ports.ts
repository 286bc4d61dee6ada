import type { Pod, Service } from '@groundcrew/controller-runtime';

export type Protocol = 'TCP' | 'UDP';

/** Where a program listens. */
export interface Endpoint {
  address: string;
  port: number;
}

/** One port of a Service: where it is reached, and which pods answer. */
export interface ServicePort {
  protocol: Protocol;
  /** Its name, or its number where it has none. */
  name: string;
  listen: readonly Listen[];
  backends: readonly Endpoint[];
  /** Pods that are there and not ready, such as those that are being deleted: they keep the connections that they have. */
  draining: readonly Endpoint[];
}

/** A node port must be bindable; a cluster address is bound where the operating system lets it be. */
export interface Listen extends Endpoint {
  required: boolean;
}

/** What the proxy has to serve of a Service, with those of `pods`, its namespace's, that it selects. */
export function servicePortsOf(service: Service, pods: readonly Pod[], nodeAddress: string): ServicePort[] {
  const { spec } = service;
  const selector = Object.entries(spec?.selector ?? {});
  if (selector.length === 0 || spec?.type === 'ExternalName') return [];
  const selected = pods.filter((pod) => selector.every(([key, value]) => pod.metadata.labels?.[key] === value));
  const isChosen = (pod: Pod): boolean => spec?.publishNotReadyAddresses === true || isReady(pod);
  return (spec?.ports ?? []).flatMap(({ protocol = 'TCP', port, nodePort, targetPort, name }) => {
    if (protocol !== 'TCP' && protocol !== 'UDP') return [];
    const clusterIp = spec?.clusterIP;
    const listen: Listen[] = [];
    if (nodePort !== undefined && nodePort > 0) listen.push({ address: nodeAddress, port: nodePort, required: true });
    if (clusterIp !== undefined && clusterIp !== '' && clusterIp !== 'None') {
      listen.push({ address: clusterIp, port, required: false });
    }
    const endpointsOf = (some: readonly Pod[]) => some.flatMap((pod) => backendOf(pod, targetPort ?? port));
    const backends = endpointsOf(selected.filter(isChosen));
    const draining = endpointsOf(selected.filter((pod) => !isChosen(pod)));
    return [{ protocol, name: name ?? String(port), listen, backends, draining }];
  });
}

/** Where one pod answers a target port, which is a number or the name of one of its containers' ports. */
function backendOf(pod: Pod, targetPort: unknown): Endpoint[] {
  const address = pod.status?.podIP;
  const ports = (pod.spec?.containers ?? []).flatMap((container) => container.ports ?? []);
  const port =
    typeof targetPort === 'number' ? targetPort : ports.find(({ name }) => name === targetPort)?.containerPort;
  return address === undefined || port === undefined ? [] : [{ address, port }];
}

function isReady({ metadata, status }: Pod): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
}
