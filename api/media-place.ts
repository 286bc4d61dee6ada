import type { MediaPlace, Volume } from './kubevirt/index.ts';
import type { MediaStatus } from './virtual-machine-bmc.ts';

/** Where the image of a status entry is in the VM, as it was saved; undefined: it was never to be put in. */
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

/** Nothing, where somebody has edited the status so that it cannot be read: the drive is left empty then. */
function volumeIn(text: string | undefined): Pick<MediaPlace, 'originalVolume'> {
  if (text === undefined) return {};
  try {
    return { originalVolume: JSON.parse(text) as Volume }; // as `saveMediaPlace` wrote it
  } catch {
    return {};
  }
}

/** The part of a status entry that says where the image goes. */
export function saveMediaPlace(place: MediaPlace): Partial<MediaStatus> {
  const { drive, driveAdded, hotpluggable, originalVolume } = place;
  return {
    drive,
    driveAdded,
    hotpluggable,
    ...(originalVolume === undefined ? {} : { originalVolume: JSON.stringify(originalVolume) }),
  };
}
