import type { RedfishContext } from './context.ts';
import { PROTOCOL_FEATURES } from './query/parse-query.ts';
import type { Resource, Route } from './resource.ts';
import {
  ACCOUNT_SERVICE,
  CERTIFICATE_SERVICE,
  EVENT_SERVICE,
  JSON_SCHEMAS,
  link,
  MANAGER,
  REGISTRIES,
  ROOT,
  SESSION_SERVICE,
  SESSIONS,
  TASK_SERVICE,
  TELEMETRY_SERVICE,
  UPDATE_SERVICE,
} from './uris.ts';

/** Product names. Clients treat some vendors' names specially, also as parts of words; these names do not contain them. */
export const VENDOR = 'Groundcrew';
export const PRODUCT = 'Groundcrew BMC';

/** The supported version of DSP0266. */
const REDFISH_VERSION = '1.20.0';

/** The service root (DSP0266 §6.1); readable without authentication. */
export function serviceRootRoutes(context: RedfishContext): Route[] {
  return [{ path: ROOT, isOpen: true, find: () => serviceRoot(context) }];
}

function serviceRoot({ options }: RedfishContext): Resource {
  return {
    type: 'ServiceRoot.v1_20_0.ServiceRoot',
    read: () => ({
      Id: 'RootService',
      Name: 'Root Service',
      RedfishVersion: REDFISH_VERSION,
      UUID: options.serviceUuid,
      Vendor: VENDOR,
      Product: PRODUCT,
      ServiceIdentification: options.machine.identity().name,
      ProtocolFeaturesSupported: {
        ...PROTOCOL_FEATURES,
        MultipleHTTPRequests: true,
        DeepOperations: { DeepPATCH: false, DeepPOST: false },
      },
      Systems: link(`${ROOT}/Systems`),
      Managers: link(`${ROOT}/Managers`),
      Chassis: link(`${ROOT}/Chassis`),
      SessionService: link(SESSION_SERVICE),
      AccountService: link(ACCOUNT_SERVICE),
      EventService: link(EVENT_SERVICE),
      Tasks: link(TASK_SERVICE),
      TelemetryService: link(TELEMETRY_SERVICE),
      UpdateService: link(UPDATE_SERVICE),
      CertificateService: link(CERTIFICATE_SERVICE),
      Registries: link(REGISTRIES),
      JsonSchemas: link(JSON_SCHEMAS),
      Links: { Sessions: link(SESSIONS), ManagerProvidingService: link(MANAGER) },
    }),
  };
}
