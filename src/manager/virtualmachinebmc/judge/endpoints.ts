import { ipmiSettings } from '../../../api/index.ts';
import type { Service } from '../../../kube/index.ts';
import type { Facts } from '../facts.ts';
import { IPMI_PORT } from '../children/agent-ports.ts';
import { activeAgent } from './active-agent.ts';
import { isIpmiPossible } from './secret-available.ts';
import { serviceOf } from './service-ready.ts';

/** Addresses of the BMC, as far as they are known. */
export interface Addresses {
  clusterIP?: string;
  /** Absent where the load balancer has a host name instead. */
  loadBalancerIP?: string;
  endpoints?: { ipmi: string };
}

export function addressesOf(facts: Facts): Addresses {
  const service = serviceOf(facts);
  const clusterIP = service?.spec?.clusterIP ?? '';
  if (service === undefined || clusterIP === '') return {};
  const loadBalancerIP = ingressOf(service)?.ip;
  const isIpmiOn = ipmiSettings(facts.bmc.spec, facts.bmcDefaults).enabled && isIpmiPossible(facts);
  return {
    clusterIP,
    ...(loadBalancerIP === undefined ? {} : { loadBalancerIP }),
    ...(isIpmiOn ? { endpoints: { ipmi: ipmiEndpoint(facts, service, clusterIP) } } : {}),
  };
}

/** Where IPMI clients are to be pointed: the outermost address that the Service's type gives. */
function ipmiEndpoint(facts: Facts, service: Service, clusterIP: string): string {
  if (service.spec?.type === 'LoadBalancer') return loadBalancerEndpoint(service) ?? hostAndPort(clusterIP, IPMI_PORT);
  if (service.spec?.type === 'NodePort') return nodePortEndpoint(facts, service) ?? hostAndPort(clusterIP, IPMI_PORT);
  return hostAndPort(clusterIP, IPMI_PORT);
}

/** A Service that was a load balancer may still have an address in its status. */
function ingressOf({ spec, status }: Service) {
  return spec?.type === 'LoadBalancer' ? status?.loadBalancer?.ingress?.[0] : undefined;
}

function loadBalancerEndpoint(service: Service): string | undefined {
  const ingress = ingressOf(service);
  const host = ingress?.ip ?? ingress?.hostname;
  return host === undefined ? undefined : hostAndPort(host, IPMI_PORT);
}

/** Every node forwards a node port; under `externalTrafficPolicy: Local` only the one that the agent is on. */
function nodePortEndpoint(facts: Facts, service: Service): string | undefined {
  const port = service.spec?.ports?.find(({ name }) => name === 'ipmi')?.nodePort;
  const node = activeAgent(facts)?.status?.hostIP;
  return port === undefined || node === undefined ? undefined : hostAndPort(node, port);
}

function hostAndPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
