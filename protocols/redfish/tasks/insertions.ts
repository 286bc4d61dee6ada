import type { MediaDrive, MediaInsertion, VirtualMedia } from '../../machine/index.ts';
import { TASK_SERVICE } from '../uris.ts';

export const TASKS = `${TASK_SERVICE}/Tasks`;

/** An insertion and its drive. */
export interface DriveInsertion {
  readonly drive: MediaDrive;
  readonly insertion: MediaInsertion;
}

/** URI of the Task of an insertion. */
export function taskUri(id: string): string {
  return `${TASKS}/${id}`;
}

export function monitorUri(id: string): string {
  return `${TASK_SERVICE}/TaskMonitors/${id}`;
}

export function insertions(media: VirtualMedia): DriveInsertion[] {
  return media
    .drives()
    .flatMap((drive) => (drive.insertion === undefined ? [] : [{ drive, insertion: drive.insertion }]));
}

export function findInsertion(media: VirtualMedia, id: string): DriveInsertion | undefined {
  return insertions(media).find(({ insertion }) => insertion.id === id);
}
