import { collection } from '../collection.ts';
import type { RedfishContext } from '../context.ts';
import { dateTime } from '../date-time.ts';
import type { JsonObject } from '../json.ts';
import { PRODUCT, VENDOR } from '../product.ts';
import type { Action, Resource, Route } from '../resource.ts';
import { CHASSIS, link, MANAGER, ROOT, SYSTEM, UPDATE_SERVICE, VIRTUAL_MEDIA } from '../uris.ts';

/** ms between the answer to a reset and the reset, so that the answer reaches the client. */
const RESET_DELAY = 500;

export function bmcRoutes(context: RedfishContext): Route[] {
  const startedAt = context.options.time();
  const find = (): Resource => manager(context, startedAt);
  const managers = collection('ManagerCollection', 'Managers', () => [{ uri: MANAGER, resource: find() }]);
  return [
    { path: `${ROOT}/Managers`, find: () => managers },
    { path: MANAGER, find },
  ];
}

/** @param startedAt start of the BMC process, ms since 1970 */
function manager(context: RedfishContext, startedAt: number): Resource {
  const { options } = context;
  const firmware = link(`${UPDATE_SERVICE}/FirmwareInventory/BMC`);
  return {
    type: 'Manager.v1_24_0.Manager',
    isVolatile: true,
    read: () => ({
      Id: '1',
      Name: 'Manager',
      Description: 'BMC of the virtual machine',
      ManagerType: 'BMC',
      Manufacturer: VENDOR,
      Model: PRODUCT,
      FirmwareVersion: options.version,
      UUID: options.serviceUuid,
      ServiceEntryPointUUID: options.serviceUuid,
      ServiceIdentification: options.machine.identity().name,
      DateTime: dateTime(options.time()),
      DateTimeLocalOffset: '+00:00',
      LastResetTime: dateTime(startedAt),
      PowerState: 'On',
      Status: { State: 'Enabled', Health: 'OK' },
      NetworkProtocol: link(`${MANAGER}/NetworkProtocol`),
      EthernetInterfaces: link(`${MANAGER}/EthernetInterfaces`),
      LogServices: link(`${MANAGER}/LogServices`),
      ...(options.legacyProperties() ? legacyProperties(context) : {}),
      Links: {
        ManagerForServers: [link(SYSTEM)],
        ManagerForChassis: [link(CHASSIS)],
        ManagerInChassis: link(CHASSIS),
        ActiveSoftwareImage: firmware,
        SoftwareImages: [firmware],
      },
    }),
    actions: [reset(context)],
  };
}

/** Deprecated properties that moved to the System: virtual media and the serial console (IPMI serial over LAN). */
function legacyProperties({ options }: RedfishContext): JsonObject {
  const isServed = options.network().ipmiPort !== undefined;
  return {
    VirtualMedia: link(VIRTUAL_MEDIA),
    SerialConsole: {
      ServiceEnabled: isServed,
      MaxConcurrentSessions: isServed ? 1 : 0,
      ConnectTypesSupported: isServed ? ['IPMI'] : [],
    },
  };
}

/** Both reset types shut the process down in order and restart it; the machine is not affected. */
function reset({ options }: RedfishContext): Action {
  return {
    name: 'Manager.Reset',
    rules: {
      kind: 'object',
      properties: { ResetType: { kind: 'word', words: ['ForceRestart', 'GracefulRestart'] } },
    },
    // oxlint-disable-next-line typescript/require-await -- the interface is asynchronous
    run: async (_parameters, { requester }) => {
      options.observer.audited(requester, 'the BMC is restarted');
      options.schedule(() => {
        options.restart();
      }, RESET_DELAY);
      return undefined;
    },
  };
}
