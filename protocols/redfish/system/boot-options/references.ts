import type { BootOption, Hardware, Machine } from '../../../machine/index.ts';

/** First digit of a reference: devices of one kind keep their numbers where some of another come or go. */
const KINDS = { Hdd: 0, Cd: 1, Pxe: 2 } as const;

/** What UEFI calls it, `Boot####`: kind, and place among those of its kind, 1 up. */
export function referenceOf({ device, instance }: BootOption): string {
  return `Boot${KINDS[device]}${instance.toString(16).toUpperCase().padStart(3, '0')}`;
}

/**
 * The node of a UEFI device path that tells it from all others, as text (UEFI 2.10 §10.6): of network interfaces their address.
 * Undefined where it is not known: of disks nothing says where the firmware sees them.
 */
export function devicePathOf(option: BootOption, { networkInterfaces }: Hardware): string | undefined {
  const name = nameIn(option, 'interface');
  const { macAddress } = networkInterfaces.find((other) => other.name === name) ?? {};
  return macAddress === undefined ? undefined : `MAC(${macAddress.replaceAll(':', '').toUpperCase()},0x1)`;
}

/** The option of a reference, or of a UEFI device path. */
export function bootOptionNamed(name: string, machine: Machine): BootOption | undefined {
  const hardware = machine.hardware();
  return machine
    .bootOptions()
    .find((option) => referenceOf(option) === name || devicePathOf(option, hardware) === name);
}

/** What the device is called in the machine's configuration, where it is of that sort: `disk:root`. */
export function nameIn({ id }: BootOption, sort: 'disk' | 'interface'): string | undefined {
  return id.startsWith(`${sort}:`) ? id.slice(sort.length + 1) : undefined;
}
