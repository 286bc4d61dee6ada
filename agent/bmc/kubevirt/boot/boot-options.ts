import {
  bootDevicesOf,
  type BootOrders,
  type Disk,
  type Interface,
  type VirtualMachine,
  withImpliedDevices,
} from '../../../../api/index.ts';
import type { BootOption } from '../../../../protocols/machine/index.ts';

const DEVICES = { disk: 'Hdd', cdrom: 'Cd', interface: 'Pxe' } as const;

/**
 * The devices that a VM can boot from: first the disks of its template and those that KubeVirt adds, then the interfaces,
 * each with its position in the boot order. If no device has a position, KubeVirt tries the disks as they are listed.
 *
 * @param orders of the VM without a boot override; 0: none
 */
export function bootOptionsOf(vm: VirtualMachine, orders: BootOrders): BootOption[] {
  const { devices: parts } = withImpliedDevices(vm.spec.template.spec).domain;
  const devices = bootDevicesOf(vm.spec.template.spec).filter(({ bootable }) => bootable);
  const places = devices.map(({ key }) => orders[key] ?? 0).filter((order) => order > 0);
  places.sort((a, b) => a - b);
  const counts = { disk: 0, cdrom: 0, interface: 0 };
  return devices.map(({ key, class: kind, list, index }) => {
    counts[kind] += 1;
    const order = places.indexOf(orders[key] ?? 0) + 1;
    const name = list === 'disks' ? nameOfDisk(parts.disks?.[index]) : nameOfInterface(parts.interfaces?.[index]);
    return { id: key, device: DEVICES[kind], instance: counts[kind], name, ...(order > 0 && { order }) };
  });
}

function nameOfDisk(disk: Disk | undefined): string {
  const kind = disk?.cdrom === undefined ? 'Disk' : 'CD-ROM drive';
  return `${kind} ${disk?.name ?? ''}${inBrackets((disk?.cdrom ?? disk?.lun ?? disk?.disk)?.bus)}`;
}

function nameOfInterface(nic: Interface | undefined): string {
  return `Network interface ${nic?.name ?? ''}${inBrackets(nic?.macAddress)}`;
}

function inBrackets(text: string | undefined): string {
  return text === undefined ? '' : ` (${text})`;
}
