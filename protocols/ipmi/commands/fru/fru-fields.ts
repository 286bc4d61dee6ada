import type { Hardware, MachineIdentity } from '../../../machine/index.ts';

/** Contents of a FRU inventory; unknown texts are empty. */
export interface FruFields {
  chassis: { partNumber: string; serial: string; custom: readonly string[] };
  /** `madeAt`: ms since 1970 */
  board: { madeAt: number | undefined; manufacturer: string; name: string; serial: string; partNumber: string };
  product: {
    manufacturer: string;
    name: string;
    model: string;
    version: string;
    serial: string;
    assetTag: string;
    custom: readonly string[];
  };
}

const PRODUCT = 'Virtual Machine';
/** Further interfaces are left out: an area has at most 2040 bytes. */
const MAX_INTERFACES = 16;
const MEBIBYTE = 2 ** 20;

/** The inventory of a machine from its platform data. */
export function fruFieldsOf(identity: MachineIdentity, hardware: Hardware, assetTag: string): FruFields {
  const { manufacturer, model = '' } = hardware;
  const serial = hardware.serial ?? identity.serial ?? '';
  return {
    chassis: { partNumber: '', serial, custom: [identity.name] },
    board: { madeAt: hardware.createdAt, manufacturer, name: PRODUCT, serial, partNumber: model },
    product: {
      manufacturer,
      name: identity.name,
      model,
      version: '',
      serial,
      assetTag,
      custom: customFields(identity, hardware),
    },
  };
}

/** Known values as `name: value`. */
function customFields({ uuid }: MachineIdentity, hardware: Hardware): string[] {
  const { cpuCount, cpuModel, memoryBytes, firmware, operatingSystem: guest } = hardware;
  const system = [guest?.name, guest?.version].filter((word) => word !== undefined).join(' ');
  const named: [string, string | number | undefined][] = [
    ['UUID', uuid],
    ['vCPUs', cpuCount],
    ['CPU', cpuModel],
    ['Memory', memoryBytes === undefined ? undefined : `${Math.floor(memoryBytes / MEBIBYTE)} MiB`],
    ['Firmware', firmware],
    ['Hostname', guest?.hostname],
    ['OS', system === '' ? undefined : system],
    ...hardware.networkInterfaces
      .slice(0, MAX_INTERFACES)
      .map((nic): [string, string | undefined] => [`NIC ${nic.name}`, nic.macAddress]),
  ];
  return named.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
}
