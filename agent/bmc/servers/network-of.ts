import { isIP } from 'node:net';
import {
  agentName,
  type BMCDefaults,
  ipmiSettings,
  redfishSettings,
  type VirtualMachineBMC,
} from '../../../api/index.ts';
import type { ManagerNetwork } from '../../../protocols/redfish/index.ts';

/** Ports of the Service. */
const HTTPS_PORT = 443;
const HTTP_PORT = 80;

/** The addresses and ports where clients reach a BMC, from its status. */
export function networkOf(bmc: VirtualMachineBMC, defaults: BMCDefaults): ManagerNetwork {
  const { metadata, spec, status = {} } = bmc;
  const hostName = agentName(spec.virtualMachineRef.name);
  const { enabled, advertisedPort } = ipmiSettings(spec, defaults);
  const url = urlOf(status.endpoints?.redfish);
  const addresses = [url?.hostname.replace(/^\[|\]$/g, ''), status.loadBalancerIP, status.clusterIP];
  const known = addresses.filter((address) => address !== undefined && isIP(address) !== 0);
  const httpsPort = Number(url?.port ?? '') || HTTPS_PORT;
  return {
    hostName,
    fqdn: `${hostName}.${metadata.namespace ?? ''}.svc`,
    addresses: [...new Set(known)] as string[], // without undefined
    httpsPort,
    // Another HTTPS port is a node port. Only the Service has the node port of HTTP.
    ...(redfishSettings(spec, defaults).http ? { httpPort: httpsPort === HTTPS_PORT ? HTTP_PORT : null } : {}),
    ...(enabled ? { ipmiPort: advertisedPortOf(bmc, advertisedPort) } : {}),
  };
}

function urlOf(text: string | undefined): URL | undefined {
  return text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
}

/**
 * The UDP port that clients use for a BMC: from its spec, else from the endpoint in its status, which is the node port
 * if its Service has one. ipmitool and pyghmi open no console if Activate Payload returns another port.
 *
 * @param fallback while the port is unknown
 */
export function advertisedPortOf(
  { spec, status }: Pick<VirtualMachineBMC, 'spec' | 'status'>,
  fallback: number,
): number {
  const port = spec.ipmi?.advertisedPort ?? Number(/:(\d+)$/.exec(status?.endpoints?.ipmi ?? '')?.[1]);
  return port >= 1 && port <= 0xffff ? port : fallback;
}

/** The address that clients use, from the status; undefined while unknown. */
export function lanAddressOf(bmc: Pick<VirtualMachineBMC, 'status'> | undefined): string | undefined {
  const { endpoints, loadBalancerIP, clusterIP } = bmc?.status ?? {};
  return endpoints?.ipmi?.replace(/:\d+$/, '') ?? loadBalancerIP ?? clusterIP;
}
