import { collection, type Action, type Resource, type Route } from './resource.ts';
import { link, MANAGER, UPDATE_SERVICE } from './uris.ts';
import type { RedfishContext } from './context.ts';
import { base, RedfishError } from './messages.ts';
import { VENDOR } from './service-root.ts';

const FIRMWARE = `${UPDATE_SERVICE}/FirmwareInventory`;
const BMC = `${FIRMWARE}/BMC`;

/** The BMC's software version. Updates come with the installation, not through this service. */
export function updateRoutes(context: RedfishContext): Route[] {
  const find = (): Resource => bmcFirmware(context);
  const firmware = collection('SoftwareInventoryCollection', 'Firmware Inventory', () => [
    { uri: BMC, resource: find() },
  ]);
  return [
    { path: UPDATE_SERVICE, find: () => SERVICE },
    { path: FIRMWARE, find: () => firmware },
    { path: BMC, find },
  ];
}

const SERVICE: Resource = {
  type: 'UpdateService.v1_17_0.UpdateService',
  read: () => ({
    Id: 'UpdateService',
    Name: 'Update Service',
    Description: 'The software of the BMC is updated with its installation.',
    ServiceEnabled: false,
    Status: { State: 'Disabled', Health: 'OK' },
    FirmwareInventory: link(FIRMWARE),
  }),
  actions: [simpleUpdate()],
};

/** The Ironic profile requires it with UpdateService, which OCPServiceBaseline requires; it is shown as disabled. */
function simpleUpdate(): Action {
  return {
    name: 'UpdateService.SimpleUpdate',
    rules: {
      kind: 'object',
      properties: {
        ImageURI: { kind: 'text', maxLength: 2048, isRequired: true },
        TransferProtocol: { kind: 'word', words: ['HTTP', 'HTTPS'] },
        Targets: { kind: 'list', maxItems: 16, items: { kind: 'text', maxLength: 256 } },
        Username: { kind: 'text', maxLength: 256 },
        Password: { kind: 'text', maxLength: 256, isSecret: true },
      },
    },
    run: () => Promise.reject(new RedfishError(409, [base('ServiceDisabled', [UPDATE_SERVICE])])),
  };
}

function bmcFirmware({ options }: RedfishContext): Resource {
  return {
    type: 'SoftwareInventory.v1_13_0.SoftwareInventory',
    read: () => ({
      Id: 'BMC',
      Name: 'BMC Firmware',
      Manufacturer: VENDOR,
      Version: options.version,
      Updateable: false,
      Status: { State: 'Enabled', Health: 'OK' },
      RelatedItem: [link(MANAGER)],
    }),
  };
}
