import type { MediaStatus, VirtualMachineBMC } from '../../../api/index.ts';
import { MachineError } from '../../../protocols/machine/index.ts';
import { occupies } from './media-drive.ts';
import { DRIVE } from './media-view.ts';

/** The status of the drive; undefined: it was never used. */
export function entryOf({ status }: VirtualMachineBMC): MediaStatus | undefined {
  return status?.virtualMedia?.find(({ slot }) => slot === DRIVE);
}

/** What the status keeps after an insertion; for a failed one also the request. */
export function emptied(entry: MediaStatus): MediaStatus {
  const { slot, id, phase, progress, message, startedAt, endedAt, volume, image, userName } = entry;
  const asked = phase === 'Failed' ? { image, userName } : {};
  const left = { slot, inserted: false, id, phase, progress, message, startedAt, endedAt, volume, ...asked };
  return JSON.parse(JSON.stringify(left)) as MediaStatus; // removes undefined fields
}

/** @throws MachineError `NotSupported` */
export function admitDrive(drive: string): void {
  if (drive !== DRIVE) throw new MachineError('NotSupported', `there is no drive ${drive}`);
}

/**
 * A failed image does not block an insertion: Ironic ejects only inserted images.
 *
 * @throws MachineError `InvalidState`
 */
export function admitEmpty(entry: MediaStatus | undefined): void {
  if (entry === undefined || entry.phase === 'Failed' || !occupies(entry)) return;
  throw new MachineError('InvalidState', 'there is an image in the drive: eject it first');
}
