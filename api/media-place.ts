import {
  ejectPatch,
  type JsonPatchOp,
  MEDIA_ANNOTATIONS,
  type MediaPlace,
  patchedVm,
  STICK,
  type VirtualMachine,
  vmNoteOf,
  type Volume,
} from './kubevirt/index.ts';
import { MEDIA_SLOTS, type MediaSlot } from './names.ts';
import type { MediaStatus, VirtualMachineBMC } from './virtual-machine-bmc.ts';

/**
 * Takes the images of the BMC out of the VM, or only that of one drive, and restores what the owner had there: from the VM's
 * annotations or, for images of earlier versions, from the BMC's status. Empty if there is nothing to restore.
 */
export function ejectMediaPatch(
  { status }: VirtualMachineBMC,
  vm: VirtualMachine,
  slots: readonly MediaSlot[] = MEDIA_SLOTS,
): JsonPatchOp[] {
  const patch: JsonPatchOp[] = [];
  for (const slot of slots) {
    const entry = status?.virtualMedia?.find((one) => one.slot === slot && one.vmUID === vm.metadata.uid);
    const saved = notedMediaOf(vm, slot) ?? entry;
    const place = saved && savedMediaPlace(saved);
    if (place !== undefined) patch.push(...ejectPatch(patchedVm(vm, patch), place));
  }
  return patch;
}

/** The image in an annotation of the VM, with the fields of its status entry; undefined if absent or invalid. */
export function notedMediaOf(vm: VirtualMachine, slot: MediaSlot): MediaStatus | undefined {
  const note = vmNoteOf(vm, MEDIA_ANNOTATIONS[slot]);
  if (typeof note !== 'object' || note === null) return undefined;
  const { drive, volume, originalVolume = '' } = note as Partial<Record<keyof MediaStatus, unknown>>;
  const isValid = [drive, volume, originalVolume].every((field) => typeof field === 'string');
  return isValid ? { ...note, slot } : undefined; // the other fields need no validation
}

/** The content of the annotation. */
export function noteOfMedia({
  slot,
  id,
  volume,
  drive,
  driveAdded,
  hotpluggable,
  originalVolume,
}: MediaStatus): object {
  // JSON leaves out what is undefined.
  return { slot, id, volume, drive, driveAdded, hotpluggable, originalVolume };
}

/** The saved place of an image in the VM; undefined if it has none. */
export function savedMediaPlace(entry: MediaStatus): MediaPlace | undefined {
  const { drive, volume, driveAdded = false, hotpluggable = false, originalVolume } = entry;
  const slot = MEDIA_SLOTS.find((known) => known === entry.slot);
  if (slot === undefined || drive === undefined || volume === undefined) return undefined;
  // An edited annotation must not remove a disk of the owner.
  if (slot === 'Usb' && !drive.startsWith(STICK)) return undefined;
  return {
    slot,
    drive,
    driveAdded,
    hotpluggable,
    volume,
    ...(slot === 'Cd' ? volumeIn(originalVolume) : {}),
  };
}

/** Empty if the status was edited and is not valid JSON: the drive is then left empty. */
function volumeIn(text: string | undefined): Pick<MediaPlace, 'originalVolume'> {
  if (text === undefined) return {};
  try {
    return { originalVolume: JSON.parse(text) as Volume }; // written by `saveMediaPlace`
  } catch {
    return {};
  }
}

/** The part of a status entry with the place of the image. */
export function saveMediaPlace(place: MediaPlace): Partial<MediaStatus> {
  const { drive, driveAdded, hotpluggable, originalVolume } = place;
  return {
    drive,
    driveAdded,
    hotpluggable,
    ...(originalVolume === undefined ? {} : { originalVolume: JSON.stringify(originalVolume) }),
  };
}
