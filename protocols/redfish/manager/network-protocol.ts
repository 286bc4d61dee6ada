import { HTTPS_CERTIFICATES } from '../certificates/index.ts';
import type { RedfishContext } from '../context.ts';
import type { JsonObject } from '../json.ts';
import type { Resource, Route } from '../resource.ts';
import { link, MANAGER } from '../uris.ts';
import { NOTHING_WRITABLE } from './nothing-writable.ts';

export function networkProtocolRoutes(context: RedfishContext): Route[] {
  return [{ path: `${MANAGER}/NetworkProtocol`, find: () => networkProtocol(context) }];
}

/** Network services of the BMC. Missing services are shown as disabled if clients or profiles require them. */
function networkProtocol({ options }: RedfishContext): Resource {
  return {
    type: 'ManagerNetworkProtocol.v1_12_0.ManagerNetworkProtocol',
    patch: NOTHING_WRITABLE,
    read: () => {
      const { hostName, fqdn, httpsPort, httpPort, ipmiPort } = options.network();
      const isSecure = options.certificates().length > 0;
      return {
        Id: 'NetworkProtocol',
        Name: 'Manager Network Protocol',
        HostName: hostName,
        FQDN: fqdn ?? null,
        Status: { State: 'Enabled', Health: 'OK' },
        HTTPS: { ...protocol(isSecure ? httpsPort : undefined), Certificates: link(HTTPS_CERTIFICATES) },
        HTTP: protocol(httpPort),
        IPMI: protocol(ipmiPort),
        SSH: protocol(undefined),
        SSDP: {
          ...protocol(undefined),
          NotifyMulticastIntervalSeconds: null,
          NotifyTTL: null,
          NotifyIPv6Scope: null,
        },
      };
    },
  };
}

/** @param port undefined: not served; null: served at an unknown port */
function protocol(port: number | null | undefined): JsonObject {
  return { ProtocolEnabled: port !== undefined, Port: port ?? null };
}
