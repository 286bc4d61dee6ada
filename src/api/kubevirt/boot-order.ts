import { bootDevicesOf, CLASS_OF, type BootDevice, type BootTarget } from './boot-devices.ts';
import {
  carriesFirmwareSetup,
  FIRMWARE_SETUP_ANNOTATION,
  startStrategyPatch,
  type FirmwareSetup,
} from './firmware-setup.ts';
import { bootloaderPatch, firmwareOf, firmwarePatch, type FirmwareMode } from './firmware.ts';
import { carriesHttpBoot, HTTP_BOOT_ANNOTATION, httpBootNote, type HttpBoot } from './http-boot.ts';
import type { JsonPatchOp } from './json-patch-op.ts';
import { templateNotesPatch, unchangedSince } from './template-notes.ts';
import type { Bootloader, StartStrategy, VirtualMachine } from './virtual-machine.ts';
import type { VirtualMachineInstance } from './virtual-machine-instance.ts';

/** Boot orders by device key; 0: the device has none, and is tried only where no device has one. */
export type BootOrders = Record<string, number>;

/** What has to be kept of a VM's template while an override is in it, so that it can be restored. */
export interface SavedBoot {
  /** Of every device, as they were. */
  bootOrders?: BootOrders;
  /** Of every device, as the override writes them. */
  overrideOrders?: BootOrders;
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
 * @throws NoBootDeviceError
 */
export function savedBootOf(vm: VirtualMachine, choice: BootChoice, firmware?: FirmwareMode): SavedBoot {
  const { domain } = vm.spec.template.spec;
  const saved = isSetup(choice)
    ? savedStartOf(vm)
    : { bootOrders: bootOrdersOf(vm), overrideOrders: overriddenOrders(vm, choice) };
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
 * @throws NoBootDeviceError
 */
export function bootOrderPatch(vm: VirtualMachine, choice: BootChoice, firmware?: FirmwareMode): JsonPatchOp[] {
  const firmwareOps = firmware === undefined ? [] : firmwarePatch(vm.spec.template.spec.domain, firmware);
  if (isSetup(choice)) {
    return promised(vm, [
      ...startStrategyPatch(vm, 'Paused'),
      ...firmwareOps,
      ...notesPatch(vm, { setup: choice.setup }),
    ]);
  }
  const http = typeof choice === 'string' ? undefined : choice.http;
  return promised(vm, [...orderOps(vm, overriddenOrders(vm, choice)), ...firmwareOps, ...notesPatch(vm, { http })]);
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
  return guarded(vm, [...orderOps(vm, restoredOrders(vm, saved)), ...startOps, ...firmwareOps, ...notesPatch(vm, {})]);
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

/** Gives the VM's template these orders, guarded as {@link restorePatch} is; nothing where it has them. */
export function ordersPatch(vm: VirtualMachine, orders: BootOrders): JsonPatchOp[] {
  return guarded(vm, orderOps(vm, orders));
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

function overriddenOrders(vm: VirtualMachine, choice: DeviceChoice): BootOrders {
  const { target, instance } = typeof choice === 'string' ? { target: choice } : choice;
  const devices = bootDevicesOf(vm.spec.template.spec);
  const bootable = devices.filter((device) => device.bootable);
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

function orderOps(vm: VirtualMachine, orders: BootOrders): JsonPatchOp[] {
  const ops: JsonPatchOp[] = [];
  const { devices } = vm.spec.template.spec.domain;
  for (const list of ['disks', 'interfaces'] as const) {
    const changed = bootDevicesOf(vm.spec.template.spec).filter(
      (device) => device.list === list && (orders[device.key] ?? 0) !== device.order,
    );
    if (changed.length === 0) continue;
    const path = `/spec/template/spec/domain/devices/${list}`;
    ops.push({ op: 'test', path, value: devices[list] });
    for (const device of changed) {
      const order = orders[device.key] ?? 0;
      const at = `${path}/${device.index}/bootOrder`;
      ops.push(order === 0 ? { op: 'remove', path: at } : { op: 'add', path: at, value: order });
    }
  }
  return ops;
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
