import type { Disk, Hardware } from '../../../machine/index.ts';

/** Disks that are no drives for media: those are VirtualMedia. */
export function fixedDisksOf({ disks }: Hardware): Disk[] {
  return disks.filter(({ kind }) => kind !== 'Cdrom');
}
