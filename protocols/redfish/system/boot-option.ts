import type { BootOption, Hardware, Machine } from '../../machine/index.ts';
import type { JsonObject } from '../json.ts';
import { link } from '../uris.ts';
import { DRIVES, ETHERNET_INTERFACES, type Part, partUri } from './part.ts';

/** The devices that the machine can boot from. */
export function bootOptionsOf(machine: Machine): Part[] {
  const hardware = machine.hardware();
  return machine.bootOptions().map((option) => ({
    id: referenceOf(option),
    resource: { type: 'BootOption.v1_0_6.BootOption', read: () => describe(option, hardware) },
  }));
}

function describe(option: BootOption, hardware: Hardware): JsonObject {
  const reference = referenceOf(option);
  const related = relatedTo(option);
  return {
    Id: reference,
    Name: option.name,
    BootOptionReference: reference,
    DisplayName: option.name,
    Alias: option.device,
    UefiDevicePath: devicePathOf(option, hardware) ?? null,
    RelatedItem: related,
    'RelatedItem@odata.count': related.length,
  };
}

/** A virtual media drive is not one of the System's Drives. */
function relatedTo(option: BootOption): { '@odata.id': string }[] {
  const disk = option.device === 'Cd' ? undefined : nameIn(option, 'disk');
  if (disk !== undefined) return [link(partUri(DRIVES, disk))];
  const networkInterface = nameIn(option, 'interface');
  return networkInterface === undefined ? [] : [link(partUri(ETHERNET_INTERFACES, networkInterface))];
}

/** First digit of a reference per kind, so that other kinds do not change the numbers. */
const KINDS = { Hdd: 0, Cd: 1, Pxe: 2 } as const;

/** UEFI name `Boot####`: kind, and index within the kind, starting at 1. */
export function referenceOf({ device, instance }: BootOption): string {
  return `Boot${KINDS[device]}${instance.toString(16).toUpperCase().padStart(3, '0')}`;
}

/**
 * The significant node of a UEFI device path as text (UEFI 2.10 §10.6): the MAC address of a network interface. Undefined for
 * disks: their path in the firmware is not known.
 */
export function devicePathOf(option: BootOption, { networkInterfaces }: Hardware): string | undefined {
  const name = nameIn(option, 'interface');
  const { macAddress } = networkInterfaces.find((other) => other.name === name) ?? {};
  return macAddress === undefined ? undefined : `MAC(${macAddress.replaceAll(':', '').toUpperCase()},0x1)`;
}

/** The option with a reference or a UEFI device path. */
export function bootOptionNamed(name: string, machine: Machine): BootOption | undefined {
  const hardware = machine.hardware();
  return machine
    .bootOptions()
    .find((option) => referenceOf(option) === name || devicePathOf(option, hardware) === name);
}

/** The device's name in the machine's configuration, for this sort of device: `disk:root`. */
function nameIn({ id }: BootOption, sort: 'disk' | 'interface'): string | undefined {
  return id.startsWith(`${sort}:`) ? id.slice(sort.length + 1) : undefined;
}
