import type { Disk, Hardware } from '../../../machine/index.ts';

/** Disks without the virtual media drives. */
export function fixedDisksOf({ disks }: Hardware): Disk[] {
  return disks.filter(({ kind }) => kind !== 'Cdrom');
}
