import type { MediaSlot } from '../names.ts';
import { type JsonPatchOp, machineNoteOps } from './template-notes.ts';
import type { VirtualMachine } from './virtual-machine.ts';

/**
 * Annotation of a VirtualMachine: the boot override in its template and what is needed to undo it, as JSON with the fields of
 * `status.bootOverride` of a VirtualMachineBMC. It is written in the same patch as the template, so one never exists without the
 * other, not even in a backup.
 */
export const BOOT_OVERRIDE_ANNOTATION = 'bmc.kubevirt.io/boot-override';

/**
 * Annotations of a VirtualMachine: the image that a BMC inserted and what is needed to eject it, like {@link BOOT_OVERRIDE_ANNOTATION}.
 * One for each drive, since earlier versions read only that of the CD-ROM drive.
 */
export const MEDIA_ANNOTATIONS: Record<MediaSlot, string> = {
  Cd: 'bmc.kubevirt.io/virtual-media',
  Usb: 'bmc.kubevirt.io/virtual-media-usb',
};

/**
 * Annotation of a VirtualMachine: the owner's boot loader that a client's change of the boot mode replaced, as JSON; `{}`: none. See
 * `bootModePatch`.
 */
export const REPLACED_BOOTLOADER_ANNOTATION = 'bmc.kubevirt.io/replaced-bootloader';

/** The JSON in an annotation of the VM; undefined if it is absent or not valid. */
export function vmNoteOf({ metadata }: VirtualMachine, name: string): unknown {
  const text = metadata.annotations?.[name];
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Like {@link machineNoteOps}, for an annotation with JSON. */
export function vmNotePatch(vm: VirtualMachine, name: string, wanted: object | undefined): JsonPatchOp[] {
  return machineNoteOps(vm, { [name]: wanted && JSON.stringify(wanted) });
}

/** The VM after a patch that was made from it. Tests are skipped: they hold. */
export function patchedVm(vm: VirtualMachine, patch: readonly JsonPatchOp[]): VirtualMachine {
  const patched = structuredClone(vm);
  for (const operation of patch) {
    if (operation.op === 'test') continue;
    const steps = operation.path.split('/').slice(1);
    const last = (steps.pop() ?? '').replaceAll('~1', '/').replaceAll('~0', '~');
    // Paths of our own patches exist.
    const parent = steps.reduce<unknown>((part, step) => (part as Record<string, unknown>)[step], patched);
    const value = operation.op === 'remove' ? [] : [structuredClone(operation.value)];
    if (Array.isArray(parent)) parent.splice(Number(last), operation.op === 'add' ? 0 : 1, ...value);
    else if (operation.op === 'remove') Reflect.deleteProperty(parent as object, last);
    else Object.assign(parent as object, { [last]: value[0] });
  }
  return patched;
}
