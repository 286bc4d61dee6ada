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
    ...(originalVolume === undefined ? {} : { originalVolume: JSON.parse(originalVolume) as Volume }), // as `saveMediaPlace` wrote it
  };
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
