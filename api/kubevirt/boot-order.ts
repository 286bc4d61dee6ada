import { type BootDevice, bootDevicesOf, type BootOrders, type BootTarget, isOfKind } from './boot-devices.ts';
import {
  carriesFirmwareSetup,
  carriesHttpBoot,
  FIRMWARE_SETUP_ANNOTATION,
  type FirmwareSetup,
  HTTP_BOOT_ANNOTATION,
  type HttpBoot,
  httpBootNote,
  type JsonPatchOp,
  startStrategyPatch,
  templateNotesPatch,
  unchangedSince,
} from './template-notes.ts';
import { bootloaderPatch, type FirmwareMode, firmwareOf, firmwarePatch } from './firmware.ts';
import type { PodBinding } from './implied-devices.ts';
import { orderOps } from './order-ops.ts';
import { BOOT_OVERRIDE_ANNOTATION, vmNotePatch } from './vm-notes.ts';
import type { Bootloader, Disk, Interface, StartStrategy, VirtualMachine } from './virtual-machine.ts';
import type { VirtualMachineInstance } from './virtual-machine-instance.ts';

/** The part of a VM's template that is saved during an override, to restore it. */
export interface SavedBoot {
  /** Orders of all devices before the override. */
  bootOrders?: BootOrders;
  /** Orders of all devices that the override writes. */
  overrideOrders?: BootOrders;
  /** Devices that KubeVirt adds to each VMI and that the override adds to the template, since a boot order needs a device entry. */
  addedDevices?: string[];
  /** Firmware before the override; set if the override changes it. */
  originalFirmware?: FirmwareMode;
  /** Boot loader before the override; absent: none. Valid if `originalFirmware` is set. */
  originalBootloader?: Bootloader;
  /** Start strategy before the override, `None` if absent; set if the override writes `Paused`. */
  originalStartStrategy?: StartStrategy | 'None';
}

/** A kind of device, or one device of it, counted from 1 in the order of the VM's template. */
export type DeviceChoice =
  | BootTarget
  | {
      target: BootTarget;
      instance?: number | undefined;
      /** For `UefiHttp`: the boot of the next VMI. */
      http?: HttpBoot | undefined;
    };

/** The firmware's boot menu before the normal boot. */
export interface SetupChoice {
  target: 'BiosSetup';
  setup: FirmwareSetup;
}

export type BootChoice = DeviceChoice | SetupChoice;

/** The VM has no such device, or KubeVirt cannot start it this way. */
export class NoBootDeviceError extends Error {
  override readonly name = 'NoBootDeviceError';
  readonly code = 'NoBootDevice';
}

/** Boot orders of the devices in a VM's template. */
export function bootOrdersOf(vm: VirtualMachine): BootOrders {
  return ordersOf(bootDevicesOf(vm.spec.template.spec));
}

/**
 * The data to save before sending `bootOrderPatch` with the same arguments.
 *
 * @param binding of the interface that KubeVirt adds; undefined: unknown, so the interface cannot be booted from
 * @throws NoBootDeviceError
 */
export function savedBootOf(
  vm: VirtualMachine,
  choice: BootChoice,
  firmware?: FirmwareMode,
  binding?: PodBinding,
): SavedBoot {
  const { domain } = vm.spec.template.spec;
  const saved = isSetup(choice) ? savedStartOf(vm) : savedOrdersOf(vm, overriddenOrders(vm, choice, binding));
  if (firmware === undefined || firmwareOf(domain) === firmware) return saved;
  const bootloader = domain.firmware?.bootloader;
  return {
    ...saved,
    originalFirmware: firmwareOf(domain),
    ...(bootloader === undefined ? {} : { originalBootloader: bootloader }),
  };
}

/**
 * Makes a VM boot from all devices of a kind, or from the chosen one, and then from the others. (After a one-time boot from a chosen
 * interface, a reboot without a boot file continues with the disk, not with the next interface.) Every device gets an order: if any
 * order is set, KubeVirt does not try disks without one, and it never tries interfaces without one. A patch made from a stale VM is
 * rejected (422) after any change of the VM, so a final restoration, which changes the VM first, cannot be undone by an older override.
 *
 * @param binding of the interface that KubeVirt adds; undefined: unknown, so the interface cannot be booted from
 * @throws NoBootDeviceError
 */
export function bootOrderPatch(
  vm: VirtualMachine,
  choice: BootChoice,
  firmware?: FirmwareMode,
  binding?: PodBinding,
): JsonPatchOp[] {
  const firmwareOps = firmware === undefined ? [] : firmwarePatch(vm.spec.template.spec.domain, firmware);
  if (isSetup(choice)) {
    return promised(vm, [
      ...startStrategyPatch(vm, 'Paused'),
      ...firmwareOps,
      ...notesPatch(vm, { setup: choice.setup }),
    ]);
  }
  const http = typeof choice === 'string' ? undefined : choice.http;
  const orders = orderOps(vm, overriddenOrders(vm, choice, binding), { binding });
  return promised(vm, [...orders, ...firmwareOps, ...notesPatch(vm, { http })]);
}

/**
 * Restores the saved part of the VM's template and removes the note of the override; empty if nothing changes. Changes of the owner are kept: removed devices stay removed,
 * added devices keep their order or get the next free one, and an order that the override did not write stays. Each written list is
 * guarded by a test of its old value, and the patch by the VM's uid.
 */
export function restorePatch(vm: VirtualMachine, saved: SavedBoot | undefined): JsonPatchOp[] {
  if (saved === undefined) return [];
  // Any other start strategy belongs to the owner.
  const startOps = saved.originalStartStrategy === 'None' ? startStrategyPatch(vm, undefined) : [];
  const firmwareOps = restoredFirmware(vm, saved);
  const orders = restoredOrders(vm, saved);
  const orderAndDevices = orderOps(vm, orders, { removed: removableDevices(vm, saved, orders) });
  const note = vmNotePatch(vm, BOOT_OVERRIDE_ANNOTATION, undefined);
  return guarded(vm, [...orderAndDevices, ...startOps, ...firmwareOps, ...notesPatch(vm, {}), ...note]);
}

/** The machine's own boot orders: those of its template or, during an override, those that will be restored. */
export function ownOrdersOf(vm: VirtualMachine, saved: SavedBoot | undefined): BootOrders {
  return saved === undefined ? bootOrdersOf(vm) : restoredOrders(vm, saved);
}

/**
 * The orders that try exactly these devices in this sequence.
 *
 * @param keys `disk:NAME`, `cdrom:NAME` or `interface:NAME`; empty: KubeVirt tries the disks in the order of the template
 * @throws NoBootDeviceError for an unknown or repeated device
 */
export function ordersFor(vm: VirtualMachine, keys: readonly string[]): BootOrders {
  const devices = bootDevicesOf(vm.spec.template.spec);
  for (const [index, key] of keys.entries()) {
    if (!devices.some((device) => device.bootable && device.key === key)) {
      throw new NoBootDeviceError(`VirtualMachine ${vm.metadata.name} has no ${key} to boot from`);
    }
    if (keys.indexOf(key) !== index) throw new NoBootDeviceError(`${key} is in the boot order twice`);
  }
  return Object.fromEntries(devices.map(({ key }) => [key, keys.indexOf(key) + 1]));
}

/**
 * The data to save when the VM's own boot order is changed during an override. Added devices that get an order belong to the VM from
 * then on, with all others of their list, since disks keep their sequence.
 */
export function reorderedBoot(vm: VirtualMachine, { addedDevices = [] }: SavedBoot, orders: BootOrders): SavedBoot {
  const isDisk = (key: string): boolean => key.startsWith('disk:');
  const placed = addedDevices.filter((key) => (orders[key] ?? 0) > 0);
  const added = addedDevices.filter((key) => !placed.some((other) => isDisk(other) === isDisk(key)));
  return {
    bootOrders: orders,
    overrideOrders: bootOrdersOf(vm),
    ...(addedDevices.length > 0 && { addedDevices: added }),
  };
}

/**
 * Sets the orders of the VM's template, guarded like {@link restorePatch}; empty if nothing changes.
 *
 * @throws NoBootDeviceError for the interface that KubeVirt adds, if its binding is unknown
 */
export function ordersPatch(vm: VirtualMachine, orders: BootOrders, binding?: PodBinding): JsonPatchOp[] {
  const fromUnknown = bootDevicesOf(vm.spec.template.spec).some(
    ({ key, class: kind, implied }) => implied && kind === 'interface' && (orders[key] ?? 0) > 0,
  );
  if (fromUnknown && binding === undefined) throw new NoBootDeviceError(noDeviceMessage(vm, 'Pxe'));
  return guarded(vm, orderOps(vm, orders, { binding }));
}

/** Whether a VMI has the boot order, boot loader, HTTP boot and firmware setup of the VM's current template. */
export function carriesOrder(vmi: VirtualMachineInstance, vm: VirtualMachine): boolean {
  const carried = ordersOf(bootDevicesOf(vmi.spec));
  const wanted = Object.entries(bootOrdersOf(vm));
  if (!wanted.every(([key, order]) => (carried[key] ?? 0) === order)) return false;
  if (!carriesHttpBoot(vmi.metadata, vm) || !carriesFirmwareSetup(vmi.metadata, vm)) return false;
  const template = vm.spec.template.spec.domain;
  // Without a boot loader in the template, a preference may set the VMI's.
  return template.firmware?.bootloader === undefined || firmwareOf(template) === firmwareOf(vmi.spec.domain);
}

function isSetup(choice: BootChoice): choice is SetupChoice {
  return typeof choice === 'object' && choice.target === 'BiosSetup';
}

/** The machine's own boot order is not changed: the boot menu comes before it. */
function savedStartOf({ metadata, spec }: VirtualMachine): SavedBoot {
  const { startStrategy, livenessProbe } = spec.template.spec;
  if (livenessProbe !== undefined) {
    throw new NoBootDeviceError(
      `KubeVirt shows no firmware setup of VirtualMachine ${metadata.name}, since it has a liveness probe ` +
        '(spec.template.spec.livenessProbe): remove it and try again',
    );
  }
  return { originalStartStrategy: startStrategy ?? 'None' };
}

function notesPatch(vm: VirtualMachine, { http, setup }: { http?: HttpBoot | undefined; setup?: FirmwareSetup }) {
  return templateNotesPatch(vm, { [HTTP_BOOT_ANNOTATION]: httpBootNote(http), [FIRMWARE_SETUP_ANNOTATION]: setup });
}

function savedOrdersOf(vm: VirtualMachine, overrideOrders: BootOrders): SavedBoot {
  const implied = bootDevicesOf(vm.spec.template.spec).filter((device) => device.implied);
  const added = implied.map(({ key }) => key).filter((key) => (overrideOrders[key] ?? 0) > 0);
  return {
    bootOrders: bootOrdersOf(vm),
    overrideOrders,
    ...(added.length === 0 ? {} : { addedDevices: added }),
  };
}

function overriddenOrders(vm: VirtualMachine, choice: DeviceChoice, binding: PodBinding | undefined): BootOrders {
  const { target, instance } = typeof choice === 'string' ? { target: choice } : choice;
  const devices = bootDevicesOf(vm.spec.template.spec);
  const bootable = devices.filter(
    (device) => device.bootable && (binding !== undefined || device.class !== 'interface' || !device.implied),
  );
  const ofKind = bootable.filter((device) => isOfKind(device, target));
  if (ofKind.length === 0) throw new NoBootDeviceError(noDeviceMessage(vm, target));
  const chosen = instance === undefined ? undefined : ofKind[instance - 1];
  if (instance !== undefined && chosen === undefined) {
    throw new NoBootDeviceError(noInstanceMessage(vm, target, instance, ofKind.length));
  }
  const first = chosen === undefined ? ofKind : [chosen];
  const others = bootable.filter((device) => !first.includes(device));
  const sequence = [...inBootSequence(first), ...inBootSequence(others)];
  return Object.fromEntries(devices.map((device) => [device.key, sequence.indexOf(device) + 1]));
}

/** The current boot sequence: devices with an order, then disks, CD-ROMs and interfaces as listed. */
function inBootSequence(devices: BootDevice[]): BootDevice[] {
  const ranks = { disk: 1, cdrom: 2, interface: 3 };
  const byOrder = (device: BootDevice) => (device.order === 0 ? Infinity : device.order);
  return devices.toSorted((a, b) =>
    byOrder(a) === byOrder(b) ? ranks[a.class] - ranks[b.class] : byOrder(a) - byOrder(b),
  );
}

function restoredOrders(vm: VirtualMachine, saved: SavedBoot): BootOrders {
  const devices = bootDevicesOf(vm.spec.template.spec);
  const restored = devices.filter((device) => isOurs(device, saved));
  const orders: BootOrders = {};
  const taken = new Set<number>();
  for (const device of restored) {
    const order = savedOrder(device, saved.bootOrders) ?? 0;
    orders[device.key] = order;
    taken.add(order);
  }
  const owners = devices.filter((device) => !restored.includes(device)).toSorted((a, b) => a.order - b.order);
  for (const { key, order: wanted } of owners) {
    let order = wanted;
    while (order !== 0 && taken.has(order)) order += 1;
    orders[key] = order;
    taken.add(order);
  }
  return orders;
}

/** Saved, and not edited by the VM's owner since the override wrote it. */
function isOurs(device: BootDevice, saved: SavedBoot): boolean {
  if (savedOrder(device, saved.bootOrders) === undefined) return false;
  const written = savedOrder(device, saved.overrideOrders);
  return written === undefined || written === device.order;
}

/** The order of a device by name: a disk may have become a CD-ROM drive since, or the reverse. */
function savedOrder(device: BootDevice, orders: BootOrders | undefined): number | undefined {
  if (orders === undefined) return undefined;
  if (device.class === 'interface') return orders[device.key];
  const name = device.key.slice(device.class.length + 1);
  return orders[device.key] ?? orders[`disk:${name}`] ?? orders[`cdrom:${name}`];
}

function restoredFirmware(vm: VirtualMachine, saved: SavedBoot): JsonPatchOp[] {
  const { domain } = vm.spec.template.spec;
  const { originalFirmware, originalBootloader, overrideOrders, originalStartStrategy } = saved;
  if (originalFirmware === undefined || firmwareOf(domain) === originalFirmware) return [];
  // KubeVirtBMC saves only the kind of firmware.
  const savedByUs = overrideOrders !== undefined || originalStartStrategy !== undefined;
  return savedByUs ? bootloaderPatch(domain, originalBootloader) : firmwarePatch(domain, originalFirmware);
}

/**
 * The unchanged devices that an override added; KubeVirt continues to add them to each VMI. Either all disks are removed or none:
 * KubeVirt adds disks at the end, so removing some would change their sequence. The interface stays if another one was added, since
 * KubeVirt adds it only to a template without interfaces.
 */
function removableDevices(vm: VirtualMachine, saved: SavedBoot, orders: BootOrders): string[] {
  const { domain, networks = [] } = vm.spec.template.spec;
  const { disks = [], interfaces = [] } = domain.devices;
  const added = bootDevicesOf(vm.spec.template.spec).filter(
    (device) => !device.implied && saved.addedDevices?.includes(device.key) === true,
  );
  const isAsAdded = (device: BootDevice): boolean => {
    const [entry, fields] =
      device.list === 'disks' ? [disks[device.index], []] : [interfaces[device.index], ['bridge', 'masquerade']];
    return isOurs(device, saved) && (orders[device.key] ?? 0) === 0 && hasOnly(entry, fields);
  };
  const addedDisks = added.filter(({ list }) => list === 'disks');
  const addedInterfaces = added.filter(({ list }) => list === 'interfaces');
  const isAlone = interfaces.length === 1 && networks.length === 1;
  const removable = [
    ...(addedDisks.every(isAsAdded) ? addedDisks : []),
    ...(isAlone ? addedInterfaces.filter(isAsAdded) : []),
  ];
  return removable.map(({ key }) => key);
}

/** Whether a device has only these fields, its name and its order. */
function hasOnly(device: Disk | Interface | undefined, fields: readonly string[]): boolean {
  return Object.keys(device ?? {}).every((field) => ['name', 'bootOrder', ...fields].includes(field));
}

function promised(vm: VirtualMachine, ops: JsonPatchOp[]): JsonPatchOp[] {
  return ops.length === 0 ? ops : [unchangedSince(vm), ...ops];
}

function guarded(vm: VirtualMachine, ops: JsonPatchOp[]): JsonPatchOp[] {
  const { uid } = vm.metadata;
  return ops.length === 0 || uid === undefined ? ops : [{ op: 'test', path: '/metadata/uid', value: uid }, ...ops];
}

function ordersOf(devices: BootDevice[]): BootOrders {
  return Object.fromEntries(devices.map(({ key, order }) => [key, order]));
}

function noDeviceMessage(vm: VirtualMachine, target: BootTarget): string {
  const missing = {
    Pxe: 'network interface (spec.template.spec.domain.devices.interfaces)',
    Hdd: 'disk (spec.template.spec.domain.devices.disks)',
    Cd: 'CD-ROM drive (a disk with cdrom in spec.template.spec.domain.devices.disks)',
    Usb: 'USB disk (an image in the virtual media drive Usb, or a disk with bus usb in spec.template.spec.domain.devices.disks)',
    UefiHttp: 'network interface (spec.template.spec.domain.devices.interfaces)',
  }[target];
  return `VirtualMachine ${vm.metadata.name} has no ${missing} to boot from: add one and try again`;
}

function noInstanceMessage(vm: VirtualMachine, target: BootTarget, instance: number, count: number): string {
  const networks = 'network interfaces';
  const kinds = { Pxe: networks, Hdd: 'disks', Cd: 'CD-ROM drives', Usb: 'USB disks', UefiHttp: networks }[target];
  return `VirtualMachine ${vm.metadata.name} has ${count} ${kinds} to boot from and no number ${instance}: choose another`;
}
