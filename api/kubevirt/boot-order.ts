import { type BootDevice, bootDevicesOf, type BootOrders, type BootTarget, CLASS_OF } from './boot-devices.ts';
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
import type { Bootloader, Disk, Interface, StartStrategy, VirtualMachine } from './virtual-machine.ts';
import type { VirtualMachineInstance } from './virtual-machine-instance.ts';

/** What has to be kept of a VM's template while an override is in it, so that it can be restored. */
export interface SavedBoot {
  /** Of every device, as they were. */
  bootOrders?: BootOrders;
  /** Of every device, as the override writes them. */
  overrideOrders?: BootOrders;
  /** Of devices that KubeVirt adds to each VMI, and the override to the template, since a boot order has to stand at one. */
  addedDevices?: string[];
  /** Firmware as it was; set where the override changes it. */
  originalFirmware?: FirmwareMode;
  /** The template's boot loader as it was; absent: it had none. Of meaning where `originalFirmware` is set. */
  originalBootloader?: Bootloader;
  /** The template's start strategy as it was, `None`: it had none; set where the override writes `Paused`. */
  originalStartStrategy?: StartStrategy | 'None';
}

/** A kind of device, or one of them: which, 1 up as they stand in the VM's template. */
export type DeviceChoice =
  | BootTarget
  | {
      target: BootTarget;
      instance?: number | undefined;
      /** Of `UefiHttp`: what the VMI that is made is to boot. */
      http?: HttpBoot | undefined;
    };

/** The firmware's boot menu, and then what the machine boots from anyway. */
export interface SetupChoice {
  target: 'BiosSetup';
  setup: FirmwareSetup;
}

export type BootChoice = DeviceChoice | SetupChoice;

/** The VM has nothing of the kind that it was to boot from, or KubeVirt does not start it so. */
export class NoBootDeviceError extends Error {
  override readonly name = 'NoBootDeviceError';
  readonly code = 'NoBootDevice';
}

/** Boot orders of the devices in a VM's template. */
export function bootOrdersOf(vm: VirtualMachine): BootOrders {
  return ordersOf(bootDevicesOf(vm.spec.template.spec));
}

/**
 * What to save, before `bootOrderPatch` with the same arguments is sent.
 *
 * @param binding of the interface that KubeVirt adds; undefined: not known, and nothing boots from it
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
 * Makes a VM boot from all devices of a kind first, or from the chosen one alone, and from the others after that. (A machine that was
 * to boot once from one interface goes on to its disk when it reboots by itself and DHCP has no file for it any more, and not to the
 * next interface.) Every device gets an order, since with any order set KubeVirt tries no disk without one, and never an
 * interface without one. A patch made from a stale VM is refused whole (422), whatever has changed in it: who takes overrides back for good
 * touches the VM first, and none comes after that.
 *
 * @param binding of the interface that KubeVirt adds; undefined: not known, and nothing boots from it
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
 * Gives the VM's template back what was saved; nothing where it is so already. What its owner did meanwhile stands: a device that
 * was taken away is left out, one that was added keeps its place behind those that it collides with, and one whose
 * order is no longer what the override wrote keeps that. Each list that is written is guarded by a test of what it was, and the whole by the
 * VM's uid.
 */
export function restorePatch(vm: VirtualMachine, saved: SavedBoot | undefined): JsonPatchOp[] {
  if (saved === undefined) return [];
  // Where it was there before, it was the owner's, and so it was where the owner has taken it away since.
  const startOps = saved.originalStartStrategy === 'None' ? startStrategyPatch(vm, undefined) : [];
  const firmwareOps = restoredFirmware(vm, saved);
  const orders = restoredOrders(vm, saved);
  const orderAndDevices = orderOps(vm, orders, { removed: removableDevices(vm, saved, orders) });
  return guarded(vm, [...orderAndDevices, ...startOps, ...firmwareOps, ...notesPatch(vm, {})]);
}

/** The machine's own boot orders: those of its template, or with an override in it, those that it is given back. */
export function ownOrdersOf(vm: VirtualMachine, saved: SavedBoot | undefined): BootOrders {
  return saved === undefined ? bootOrdersOf(vm) : restoredOrders(vm, saved);
}

/**
 * The orders that try these devices in their sequence, and no others.
 *
 * @param keys `disk:NAME`, `cdrom:NAME` or `interface:NAME`; none: KubeVirt tries the disks as they are listed
 * @throws NoBootDeviceError for one that the VM does not have, or that is named twice
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
 * What is saved when the VM's own boot order is changed under an override. Devices that get a place in it are the VM's own from then on,
 * with all others of their list, since disks keep their sequence.
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
 * Gives the VM's template these orders, guarded as {@link restorePatch} is; nothing where it has them.
 *
 * @throws NoBootDeviceError for the interface that KubeVirt adds, where its binding is not known
 */
export function ordersPatch(vm: VirtualMachine, orders: BootOrders, binding?: PodBinding): JsonPatchOp[] {
  const fromUnknown = bootDevicesOf(vm.spec.template.spec).some(
    ({ key, class: kind, implied }) => implied && kind === 'interface' && (orders[key] ?? 0) > 0,
  );
  if (fromUnknown && binding === undefined) throw new NoBootDeviceError(noDeviceMessage(vm, 'Pxe'));
  return guarded(vm, orderOps(vm, orders, { binding }));
}

/** Whether a VMI was made from a template with the boot order, boot loader, HTTP boot and way to the firmware's setup that the VM's has now. */
export function carriesOrder(vmi: VirtualMachineInstance, vm: VirtualMachine): boolean {
  const carried = ordersOf(bootDevicesOf(vmi.spec));
  const wanted = Object.entries(bootOrdersOf(vm));
  if (!wanted.every(([key, order]) => (carried[key] ?? 0) === order)) return false;
  if (!carriesHttpBoot(vmi.metadata, vm) || !carriesFirmwareSetup(vmi.metadata, vm)) return false;
  const template = vm.spec.template.spec.domain;
  // Without one in the template, a preference may choose the VMI's.
  return template.firmware?.bootloader === undefined || firmwareOf(template) === firmwareOf(vmi.spec.domain);
}

function isSetup(choice: BootChoice): choice is SetupChoice {
  return typeof choice === 'object' && choice.target === 'BiosSetup';
}

/** The firmware's boot menu comes before the machine's own boot order, which is neither changed nor restored. */
function savedStartOf({ metadata, spec }: VirtualMachine): SavedBoot {
  const { startStrategy, livenessProbe } = spec.template.spec;
  if (livenessProbe !== undefined) {
    throw new NoBootDeviceError(
      `KubeVirt shows no firmware setup of VirtualMachine ${metadata.name}, since it has a liveness probe ` +
        '(spec.template.spec.livenessProbe): take that away and try again',
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
  const ofKind = bootable.filter((device) => device.class === CLASS_OF[target]);
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

/** As they are tried now: those with an order, then disks, CD-ROMs and interfaces as they are listed. */
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

/** A disk may have been made a CD-ROM drive meanwhile, or the reverse; their names are one set. */
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
  // KubeVirtBMC saved the kind of firmware alone, and nothing of its override.
  const savedByUs = overrideOrders !== undefined || originalStartStrategy !== undefined;
  return savedByUs ? bootloaderPatch(domain, originalBootloader) : firmwarePatch(domain, originalFirmware);
}

/**
 * The devices that an override added and that nobody has changed since; KubeVirt goes on to add them to each VMI. The disks are removed
 * all or not at all: KubeVirt adds disks at the end, so that removing some would change their sequence. The interface stays where
 * another one was added, since KubeVirt adds it to a template without interfaces alone.
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

/** Whether a device has no fields but these, its name and its order. */
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
    UefiHttp: 'network interface (spec.template.spec.domain.devices.interfaces)',
  }[target];
  return `VirtualMachine ${vm.metadata.name} has no ${missing} to boot from: add one and try again`;
}

function noInstanceMessage(vm: VirtualMachine, target: BootTarget, instance: number, count: number): string {
  const networks = 'network interfaces';
  const kinds = { Pxe: networks, Hdd: 'disks', Cd: 'CD-ROM drives', UefiHttp: networks }[target];
  return `VirtualMachine ${vm.metadata.name} has ${count} ${kinds} to boot from and no number ${instance}: choose another`;
}
