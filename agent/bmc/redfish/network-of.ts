import { isIP } from 'node:net';
import {
  agentName,
  ipmiSettings,
  redfishSettings,
  type BMCDefaults,
  type VirtualMachineBMC,
} from '../../../api/index.ts';
import type { ManagerNetwork } from '../../../protocols/redfish/index.ts';
import { advertisedPortOf } from '../ipmi/index.ts';

/** Of the Service. */
const HTTPS_PORT = 443;
const HTTP_PORT = 80;

/** Where clients reach a BMC, as its status says. */
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
    // Behind another port of HTTPS stands a node's, and which one it has for HTTP is known to the Service alone.
    ...(redfishSettings(spec, defaults).http ? { httpPort: httpsPort === HTTPS_PORT ? HTTP_PORT : null } : {}),
    ...(enabled ? { ipmiPort: advertisedPortOf(bmc, advertisedPort) } : {}),
  };
}

function urlOf(text: string | undefined): URL | undefined {
  return text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
}
