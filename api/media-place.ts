import type { MediaPlace, Volume } from './kubevirt/index.ts';
import type { MediaStatus } from './virtual-machine-bmc.ts';

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
