import { BOOT_OVERRIDE_ANNOTATION, FIRMWARE_MODES, type VirtualMachine, vmNoteOf } from './kubevirt/index.ts';
import type { BootOverrideStatus, VirtualMachineBMC } from './virtual-machine-bmc.ts';

/** A boot override with the data to undo it, and where it was found. */
export interface SavedOverride {
  saved: BootOverrideStatus;
  /**
   * `machine`: in the VM's annotation. `earlier`: only in the BMC's status, where an earlier version saved it. `copy`: in the status
   * of a BMC whose VM has nothing to undo, because it was undone or recreated.
   */
  from: 'machine' | 'earlier' | 'copy';
}

/** The boot override of a BMC and its VM; undefined: none. */
export function savedOverrideOf(
  { status }: VirtualMachineBMC,
  vm: VirtualMachine | undefined,
): SavedOverride | undefined {
  const shown = status?.bootOverride;
  const isOfVm = vm !== undefined && (shown?.vmUID === undefined || shown.vmUID === vm.metadata.uid);
  // First: an earlier version that ran again for a while left an annotation of before unchanged.
  if (shown !== undefined && shown.savedIn === undefined && isOfVm) return { saved: shown, from: 'earlier' };
  const noted = vm && notedOverrideOf(vm);
  if (noted !== undefined) return { saved: noted, from: 'machine' };
  return shown && { saved: shown, from: 'copy' };
}

/** The data to undo the override in the VM's template; undefined: there is none. */
export function overrideToUndo(bmc: VirtualMachineBMC, vm: VirtualMachine): BootOverrideStatus | undefined {
  const found = savedOverrideOf(bmc, vm);
  return found?.from === 'copy' ? undefined : found?.saved;
}

/** The override in the annotation of the VM; undefined if absent or invalid. */
export function notedOverrideOf(vm: VirtualMachine): BootOverrideStatus | undefined {
  const note = vmNoteOf(vm, BOOT_OVERRIDE_ANNOTATION);
  if (!isRecord(note) || note['mode'] === undefined) return undefined;
  const fields = Object.entries(FIELDS).filter(([name]) => note[name] !== undefined);
  if (!fields.every(([name, fits]) => fits(note[name]))) return undefined;
  return Object.fromEntries(fields.map(([name]) => [name, note[name]])) as BootOverrideStatus; // validated
}

/** The content of the annotation. */
export function noteOfOverride(saved: BootOverrideStatus): object {
  // JSON leaves out what is undefined.
  return Object.fromEntries(FIELD_NAMES.map((name): [string, unknown] => [name, saved[name]]));
}

/** What the BMC's status shows of the override in the VM's annotation; undefined: none. */
export function shownOverrideOf(vm: VirtualMachine): BootOverrideStatus | undefined {
  const noted = notedOverrideOf(vm);
  return noted && { ...noted, vmUID: vm.metadata.uid ?? '', savedIn: 'VirtualMachine' };
}

/** The fields of the annotation. The owner of the VM may edit them. */
const FIELDS: Partial<Record<keyof BootOverrideStatus, (value: unknown) => boolean>> = {
  mode: oneOf('Oneshot', 'Persistent'),
  target: oneOf('Pxe', 'Hdd', 'Cd', 'UefiHttp', 'BiosSetup'),
  uri: isText,
  instance: Number.isInteger,
  usb: Number.isInteger,
  firmware: oneOf(...FIRMWARE_MODES),
  expires: isText,
  vmiUID: isText,
  bootOrders: isOrders,
  overrideOrders: isOrders,
  addedDevices: (value) => Array.isArray(value) && value.every(isText),
  originalFirmware: oneOf(...FIRMWARE_MODES),
  originalBootloader: isRecord,
  originalStartStrategy: oneOf('None', 'Paused'),
};

const FIELD_NAMES = Object.keys(FIELDS) as (keyof BootOverrideStatus)[];

function oneOf(...values: readonly string[]): (value: unknown) => boolean {
  return (value) => isText(value) && values.includes(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isOrders(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every(Number.isInteger);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
