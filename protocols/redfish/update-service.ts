import { collection, type Action, type Resource, type Route } from './resource.ts';
import { link, MANAGER, SYSTEM, UPDATE_SERVICE } from './uris.ts';
import type { RedfishContext } from './context.ts';
import { base, RedfishError } from './messages.ts';
import { VENDOR } from './service-root.ts';

const FIRMWARE = `${UPDATE_SERVICE}/FirmwareInventory`;
const BMC = `${FIRMWARE}/BMC`;
const BIOS = `${FIRMWARE}/BIOS`;

/** The versions of the BMC's software and of the machine's firmware. Updates come with the installation, not through this service. */
export function updateRoutes({ options }: RedfishContext): Route[] {
  const bmc = (): Resource => software('BMC', 'BMC Firmware', VENDOR, options.version, MANAGER);
  const bios = (): Resource => {
    const { manufacturer, firmwareVersion } = options.machine.hardware();
    return software('BIOS', 'System Firmware', manufacturer, firmwareVersion, `${SYSTEM}/Bios`);
  };
  const firmware = collection('SoftwareInventoryCollection', 'Firmware Inventory', () => [
    { uri: BMC, resource: bmc() },
    { uri: BIOS, resource: bios() },
  ]);
  return [
    { path: UPDATE_SERVICE, find: () => SERVICE },
    { path: FIRMWARE, find: () => firmware },
    { path: BMC, find: bmc },
    { path: BIOS, find: bios },
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

/** @param version undefined: not known @param related URI of what runs the software */
function software(
  id: string,
  name: string,
  manufacturer: string,
  version: string | undefined,
  related: string,
): Resource {
  return {
    type: 'SoftwareInventory.v1_13_0.SoftwareInventory',
    read: () => ({
      Id: id,
      Name: name,
      Manufacturer: manufacturer,
      Version: version ?? null,
      Updateable: false,
      Status: { State: 'Enabled', Health: 'OK' },
      RelatedItem: [link(related)],
    }),
  };
}
