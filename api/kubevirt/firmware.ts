import { type JsonPatchOp, unchangedSince } from './template-notes.ts';
import type { Bootloader, Domain, VirtualMachine } from './virtual-machine.ts';
import type { VirtualMachineInstance } from './virtual-machine-instance.ts';
import { REPLACED_BOOTLOADER_ANNOTATION, vmNoteOf, vmNotePatch } from './vm-notes.ts';

export type FirmwareMode = (typeof FIRMWARE_MODES)[number];

export const FIRMWARE_MODES = ['UEFI', 'Legacy'] as const;

const FIRMWARE_PATH = '/spec/template/spec/domain/firmware';
const BOOTLOADER_PATH = `${FIRMWARE_PATH}/bootloader`;

/** Firmware that a domain boots with; KubeVirt's default is BIOS. */
export function firmwareOf(domain: Domain): FirmwareMode {
  return modeOf(domain.firmware?.bootloader);
}

function modeOf(bootloader: Bootloader | undefined): FirmwareMode {
  return bootloader?.efi === undefined ? 'Legacy' : 'UEFI';
}

/** The firmware in a VM's template; undefined: its preference chooses. */
export function bootModeOf({ spec }: VirtualMachine): FirmwareMode | undefined {
  const { domain } = spec.template.spec;
  const isOpen = spec.preference !== undefined && domain.firmware?.bootloader === undefined;
  return isOpen ? undefined : firmwareOf(domain);
}

/**
 * Operations that set the VM's own firmware; empty if nothing changes. An annotation keeps a boot loader of the owner that is
 * replaced (its NVRAM, its Secure Boot), and the way back restores it. Guarded by the resource version.
 */
export function bootModePatch(vm: VirtualMachine, mode: FirmwareMode): JsonPatchOp[] {
  const current = bootModeOf(vm);
  if (current === mode) return [];
  const { domain } = vm.spec.template.spec;
  const kept = replacedBootloaderOf(vm);
  const after = kept !== undefined && modeOf(kept) === mode ? nonEmpty(kept) : bootloaderFor(domain, mode);
  return [
    unchangedSince(vm),
    ...bootloaderPatch(domain, after),
    ...vmNotePatch(vm, REPLACED_BOOTLOADER_ANNOTATION, current && bootloaderToKeep(domain, current)),
  ];
}

/** The boot loader to keep when it is replaced; undefined: `bootloaderFor` makes the same one on the way back. */
function bootloaderToKeep(domain: Domain, mode: FirmwareMode): Bootloader | undefined {
  const { bootloader = {} } = domain.firmware ?? {};
  return JSON.stringify(bootloader) === JSON.stringify(bootloaderFor(domain, mode)) ? undefined : bootloader;
}

/** The boot loader in the annotation, which the owner of the VM may have edited. */
function replacedBootloaderOf(vm: VirtualMachine): Bootloader | undefined {
  const note = vmNoteOf(vm, REPLACED_BOOTLOADER_ANNOTATION);
  // KubeVirt validates the rest.
  return typeof note === 'object' && note !== null && !Array.isArray(note) ? note : undefined;
}

function nonEmpty(bootloader: Bootloader): Bootloader | undefined {
  return Object.keys(bootloader).length === 0 ? undefined : bootloader;
}

/** Operations that set the template's firmware; empty if it is set already. */
export function firmwarePatch(domain: Domain, mode: FirmwareMode): JsonPatchOp[] {
  if (firmwareOf(domain) === mode) return [];
  return bootloaderPatch(domain, bootloaderFor(domain, mode));
}

/** Operations that set the template's boot loader, or remove it if undefined. */
export function bootloaderPatch(domain: Domain, bootloader: Bootloader | undefined): JsonPatchOp[] {
  const { firmware } = domain;
  if (firmware === undefined) {
    return bootloader === undefined ? [] : [{ op: 'add', path: FIRMWARE_PATH, value: { bootloader } }];
  }
  const guard: JsonPatchOp = { op: 'test', path: FIRMWARE_PATH, value: firmware };
  if (bootloader !== undefined) return [guard, { op: 'add', path: BOOTLOADER_PATH, value: bootloader }];
  if (firmware.bootloader === undefined) return [];
  // KubeVirt's webhook sets uuid and serial, so a section with only a boot loader was created for it.
  const onlyBootloader = Object.keys(firmware).length === 1;
  return [guard, { op: 'remove', path: onlyBootloader ? FIRMWARE_PATH : BOOTLOADER_PATH }];
}

/** Secure Boot is on by default, and KubeVirt refuses it (422) without SMM. A present feature is on unless disabled. */
function bootloaderFor(domain: Domain, mode: FirmwareMode): Bootloader {
  if (mode === 'Legacy') return { bios: {} };
  const smm = domain.features?.smm;
  return { efi: { secureBoot: smm !== undefined && smm.enabled !== false } };
}

const FEATURES_PATH = '/spec/template/spec/domain/features';

/** Whether Secure Boot is on: the default of UEFI; undefined for a BIOS. */
export function secureBootOf(bootloader: Bootloader | undefined): boolean | undefined {
  return bootloader?.efi === undefined ? undefined : bootloader.efi.secureBoot !== false;
}

/**
 * Operations that switch Secure Boot of a VM with UEFI on or off; empty if nothing changes. They enable system management mode,
 * without which KubeVirt refuses Secure Boot (422), and never disable it. Guarded by the resource version: a new `features` section of
 * another writer would be lost.
 */
export function secureBootPatch(vm: VirtualMachine, isOn: boolean): JsonPatchOp[] {
  const { domain } = vm.spec.template.spec;
  const bootloader = domain.firmware?.bootloader;
  if (bootloader?.efi === undefined || secureBootOf(bootloader) === isOn) return [];
  return [
    unchangedSince(vm),
    ...bootloaderPatch(domain, { ...bootloader, efi: { ...bootloader.efi, secureBoot: isOn } }),
    ...(isOn ? smmPatch(domain) : []),
  ];
}

/** Whether a VMI has the Secure Boot setting of the VM's template. Without a boot loader there, a preference may set it. */
export function carriesSecureBoot(vmi: VirtualMachineInstance, vm: VirtualMachine): boolean {
  const wanted = vm.spec.template.spec.domain.firmware?.bootloader;
  return wanted === undefined || secureBootOf(wanted) === secureBootOf(vmi.spec.domain.firmware?.bootloader);
}

/** A present feature is on unless disabled. */
function smmPatch({ features }: Domain): JsonPatchOp[] {
  const smm = { enabled: true };
  if (features === undefined) return [{ op: 'add', path: FEATURES_PATH, value: { smm } }];
  if (features.smm !== undefined && features.smm.enabled !== false) return [];
  return [{ op: 'add', path: `${FEATURES_PATH}/smm`, value: smm }];
}
