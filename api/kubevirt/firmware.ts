import type { JsonPatchOp } from './json-patch-op.ts';
import type { Bootloader, Domain } from './virtual-machine.ts';

export type FirmwareMode = (typeof FIRMWARE_MODES)[number];

export const FIRMWARE_MODES = ['UEFI', 'Legacy'] as const;

const FIRMWARE_PATH = '/spec/template/spec/domain/firmware';
const BOOTLOADER_PATH = `${FIRMWARE_PATH}/bootloader`;

/** Firmware that a domain boots with; KubeVirt's default is BIOS. */
export function firmwareOf(domain: Domain): FirmwareMode {
  return domain.firmware?.bootloader?.efi === undefined ? 'Legacy' : 'UEFI';
}

/** Operations that make the template's firmware `mode`; none where it is. */
export function firmwarePatch(domain: Domain, mode: FirmwareMode): JsonPatchOp[] {
  if (firmwareOf(domain) === mode) return [];
  return bootloaderPatch(domain, bootloaderFor(domain, mode));
}

/** Operations that set the template's boot loader, or with undefined remove it. */
export function bootloaderPatch(domain: Domain, bootloader: Bootloader | undefined): JsonPatchOp[] {
  const { firmware } = domain;
  if (firmware === undefined) {
    return bootloader === undefined ? [] : [{ op: 'add', path: FIRMWARE_PATH, value: { bootloader } }];
  }
  const guard: JsonPatchOp = { op: 'test', path: FIRMWARE_PATH, value: firmware };
  if (bootloader !== undefined) return [guard, { op: 'add', path: BOOTLOADER_PATH, value: bootloader }];
  if (firmware.bootloader === undefined) return [];
  // KubeVirt's webhook writes uuid and serial there, so an empty object is one that only a boot loader made.
  const onlyBootloader = Object.keys(firmware).length === 1;
  return [guard, { op: 'remove', path: onlyBootloader ? FIRMWARE_PATH : BOOTLOADER_PATH }];
}

/** Secure boot is on by default and KubeVirt refuses it (422) without SMM; a feature that is there is on unless it says no. */
function bootloaderFor(domain: Domain, mode: FirmwareMode): Bootloader {
  if (mode === 'Legacy') return { bios: {} };
  const smm = domain.features?.smm;
  return { efi: { secureBoot: smm !== undefined && smm.enabled !== false } };
}
