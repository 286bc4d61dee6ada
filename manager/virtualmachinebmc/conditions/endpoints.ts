import { ipmiSettings } from '../../../api/index.ts';
import type { Service } from '@groundcrew/controller-runtime';
import type { Inputs } from '../inputs.ts';
import { IPMI_PORT, REDFISH_PORT } from '../children/service.ts';
import { routeOf } from '../route.ts';
import { activeAgent } from './active-agent.ts';
import { hasCertificate } from './certificate-ready.ts';
import { isIpmiPossible } from './secret-available.ts';
import { serviceOf } from './service-ready.ts';

/** The known addresses of the BMC. */
export interface Addresses {
  clusterIP?: string;
  /** Absent if the load balancer has a host name instead. */
  loadBalancerIP?: string;
  endpoints?: { ipmi?: string; redfish?: string };
}

export function addressesOf(inputs: Inputs): Addresses {
  const service = serviceOf(inputs);
  const clusterIP = service?.spec?.clusterIP ?? '';
  if (service === undefined || clusterIP === '') return {};
  const loadBalancerIP = ingressOf(service)?.ip;
  const isIpmiOn = ipmiSettings(inputs.bmc.spec, inputs.bmcDefaults).enabled && isIpmiPossible(inputs);
  const isRedfishOn = hasCertificate(inputs) && isIpmiPossible(inputs);
  const endpoints = {
    ...(isIpmiOn ? { ipmi: hostAndPort(endpointOf(inputs, service, 'ipmi', IPMI_PORT)) } : {}),
    ...(isRedfishOn ? { redfish: redfishUrl(endpointOf(inputs, service, 'redfish', REDFISH_PORT)) } : {}),
  };
  return {
    clusterIP,
    ...(loadBalancerIP === undefined ? {} : { loadBalancerIP }),
    ...(Object.keys(endpoints).length === 0 ? {} : { endpoints }),
  };
}

interface Endpoint {
  host: string;
  port: number;
}

/** The endpoint for clients: the outermost address of the Service's type. */
function endpointOf(inputs: Inputs, service: Service, name: string, port: number): Endpoint {
  const inside = { host: service.spec?.clusterIP ?? '', port };
  if (service.spec?.type === 'LoadBalancer') {
    const ingress = ingressOf(service);
    const host = ingress?.ip ?? ingress?.hostname;
    return host === undefined ? inside : { host, port };
  }
  return service.spec?.type === 'NodePort' ? (nodePortEndpoint(inputs, service, name) ?? inside) : inside;
}

/** The status of a Service that was a load balancer may still have an address. */
function ingressOf({ spec, status }: Service) {
  return spec?.type === 'LoadBalancer' ? status?.loadBalancer?.ingress?.[0] : undefined;
}

/** Every node forwards a node port; with `externalTrafficPolicy: Local` only the agent's node does. */
function nodePortEndpoint(inputs: Inputs, service: Service, name: string): Endpoint | undefined {
  const port = service.spec?.ports?.find((each) => each.name === name)?.nodePort;
  const isOwn = routeOf(inputs) === 'Own';
  const host = isOwn ? activeAgent(inputs)?.status?.hostIP : inputs.placement.agent?.hostIP;
  return port === undefined || host === undefined ? undefined : { host, port };
}

function redfishUrl({ host, port }: Endpoint): string {
  return `https://${port === REDFISH_PORT ? bracketed(host) : hostAndPort({ host, port })}`;
}

function hostAndPort({ host, port }: Endpoint): string {
  return `${bracketed(host)}:${port}`;
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
