import { MEDIA_ANNOTATION, type MediaPlace, type VirtualMachine, vmNoteOf, type Volume } from './kubevirt/index.ts';
import type { MediaStatus, VirtualMachineBMC } from './virtual-machine-bmc.ts';

/**
 * The places of images in the VM, which must be restored before the BMC leaves it: from the VM's annotation or, for images of earlier
 * versions, from the BMC's status.
 */
export function mediaToEject({ status }: VirtualMachineBMC, vm: VirtualMachine): MediaPlace[] {
  const noted = notedMediaOf(vm);
  const entries = status?.virtualMedia?.filter(({ vmUID }) => vmUID === vm.metadata.uid) ?? [];
  return (noted === undefined ? entries : [noted]).flatMap((entry) => savedMediaPlace(entry) ?? []);
}

/** The image in the annotation of the VM, with the fields of its status entry; undefined if absent or invalid. */
export function notedMediaOf(vm: VirtualMachine): MediaStatus | undefined {
  const note = vmNoteOf(vm, MEDIA_ANNOTATION);
  if (typeof note !== 'object' || note === null) return undefined;
  const { drive, volume, originalVolume = '' } = note as Partial<Record<keyof MediaStatus, unknown>>;
  const isValid = [drive, volume, originalVolume].every((field) => typeof field === 'string');
  return isValid ? (note as MediaStatus) : undefined; // the other fields need no validation
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
  if (drive === undefined || volume === undefined) return undefined;
  return {
    drive,
    driveAdded,
    hotpluggable,
    volume,
    ...volumeIn(originalVolume),
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
