import type { MediaStatus, VirtualMachineBMC } from '../../../api/index.ts';
import { MachineError } from '../../../protocols/machine/index.ts';
import { occupies } from './media-drive.ts';
import { DRIVE } from './media-view.ts';

/** What the status says of the drive; undefined: there has been nothing in it. */
export function entryOf({ status }: VirtualMachineBMC): MediaStatus | undefined {
  return status?.virtualMedia?.find(({ slot }) => slot === DRIVE);
}

/** What is left of an insertion that is over: of a failed one what was asked for, too. */
export function emptied(entry: MediaStatus): MediaStatus {
  const { slot, id, phase, progress, message, startedAt, endedAt, volume, image, userName } = entry;
  const asked = phase === 'Failed' ? { image, userName } : {};
  const left = { slot, inserted: false, id, phase, progress, message, startedAt, endedAt, volume, ...asked };
  return JSON.parse(JSON.stringify(left)) as MediaStatus; // leaves out what is undefined
}

/** @throws MachineError `NotSupported` */
export function admitDrive(drive: string): void {
  if (drive !== DRIVE) throw new MachineError('NotSupported', `there is no drive ${drive}`);
}

/**
 * One that failed is in nobody's way: Ironic ejects what is inserted alone, and would never get past it.
 *
 * @throws MachineError `InvalidState`
 */
export function admitEmpty(entry: MediaStatus | undefined): void {
  if (entry === undefined || entry.phase === 'Failed' || !occupies(entry)) return;
  throw new MachineError('InvalidState', 'there is an image in the drive: eject it first');
}
