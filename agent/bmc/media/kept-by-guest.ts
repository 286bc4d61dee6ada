import {
  hasEnded,
  holdsMedia,
  savedMediaPlace,
  type MediaStatus,
  type VirtualMachineInstance,
} from '../../../api/index.ts';

/** Whether a running guest has the image, and keeps it when it is taken out of the VM's template. */
export function isKeptByGuest(entry: MediaStatus, vmi: VirtualMachineInstance | undefined): boolean {
  const place = savedMediaPlace(entry);
  if (place === undefined || place.hotpluggable || vmi === undefined || hasEnded(vmi)) return false;
  return holdsMedia(vmi.spec, place);
}
