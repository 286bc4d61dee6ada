import { isIP } from 'node:net';
import { agentName } from '../../../api/index.ts';
import type { Inputs } from '../inputs.ts';
import { activeAgent } from '../conditions/active-agent.ts';
import { serviceOf } from '../conditions/service-ready.ts';

/** The known names by which clients may reach a BMC: names and addresses of its Service, and names in its spec. */
export function certificateNames(inputs: Inputs): string[] {
  const { bmc, certificate } = inputs;
  const { namespace = '' } = bmc.metadata;
  const service = agentName(bmc.spec.virtualMachineRef.name);
  const short = `${service}.${namespace}`;
  const names = [service, short, `${short}.svc`, `${short}.svc.${certificate.clusterDomain}`];
  const known = [...names, ...addressesOf(inputs), ...certificate.names, ...(bmc.spec.redfish?.tls?.dnsNames ?? [])];
  return [...new Set(known.filter((name) => name !== '' && name !== 'None').map(asCertified))];
}

/** IPv6 addresses in the notation of certificates, so that they can be compared. */
function asCertified(name: string): string {
  return isIP(name) === 6 ? new URL(`http://[${name}]`).hostname.slice(1, -1) : name;
}

function addressesOf(inputs: Inputs): string[] {
  const service = serviceOf(inputs);
  const { type, clusterIP = '', clusterIPs = [clusterIP] } = service?.spec ?? {};
  const ingress = type === 'LoadBalancer' ? (service?.status?.loadBalancer?.ingress ?? []) : [];
  // Every node forwards a node port; clients use the one on which the agent runs.
  const node = type === 'NodePort' ? activeAgent(inputs)?.status?.hostIP : undefined;
  return [...clusterIPs, ...ingress.flatMap(({ ip = '', hostname = '' }) => [ip, hostname]), node ?? ''];
}
