import { impliedDisks, impliesInterface, withImpliedDevices } from './implied-devices.ts';
import type { Disk, VirtualMachineInstanceSpec } from './virtual-machine.ts';

/** Devices that a machine can boot from. */
export type BootTarget = 'Pxe' | 'Hdd' | 'Cd' | 'Usb' | 'UefiHttp';

export type BootDeviceClass = 'disk' | 'cdrom' | 'interface';

/** A disk, CD-ROM drive or network interface of a guest, and its place in the boot order. */
export interface BootDevice {
  /** `disk:<name>`, `cdrom:<name>` or `interface:<name>`. */
  key: string;
  class: BootDeviceClass;
  /** A disk on the USB bus. */
  usb: boolean;
  /** In `domain.devices`. */
  list: 'disks' | 'interfaces';
  /** Index in that list, after `withImpliedDevices`. */
  index: number;
  /** The template does not name it; KubeVirt adds it. */
  implied: boolean;
  /** ≥ 1; 0: none. */
  order: number;
  /** False for an interface that is being removed (`state: absent`). */
  bootable: boolean;
}

/** Boot orders by device key; 0: none, so the device is only tried if no device has one. */
export type BootOrders = Record<string, number>;

const CLASS_OF: Record<BootTarget, BootDeviceClass> = {
  Pxe: 'interface',
  Hdd: 'disk',
  Cd: 'cdrom',
  Usb: 'disk',
  UefiHttp: 'interface',
};

/** Whether the device is of the kind. A USB disk is also a disk. */
export function isOfKind(device: BootDevice, target: BootTarget): boolean {
  return device.class === CLASS_OF[target] && (device.usb || target !== 'Usb');
}

/** All bootable kinds of devices of a guest, including those that KubeVirt adds: disks as listed, then interfaces. */
export function bootDevicesOf(guest: VirtualMachineInstanceSpec): BootDevice[] {
  const { disks = [], interfaces = [] } = withImpliedDevices(guest).domain.devices;
  const ownDisks = disks.length - impliedDisks(guest).length;
  return [
    ...disks.map((disk, index): BootDevice => {
      const kind = classOf(disk);
      const key = `${kind}:${disk.name}`;
      const implied = index >= ownDisks;
      const usb = disk.disk?.bus === 'usb';
      return { key, class: kind, usb, list: 'disks', index, implied, order: disk.bootOrder ?? 0, bootable: true };
    }),
    ...interfaces.map((nic, index): BootDevice => {
      const bootable = nic.state !== 'absent';
      const key = `interface:${nic.name}`;
      const implied = impliesInterface(guest);
      const order = nic.bootOrder ?? 0;
      return { key, class: 'interface', usb: false, list: 'interfaces', index, implied, order, bootable };
    }),
  ];
}

function classOf(disk: Disk): BootDeviceClass {
  return disk.cdrom === undefined ? 'disk' : 'cdrom';
}
