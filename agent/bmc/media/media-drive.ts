import type { MediaStatus } from '../../../api/index.ts';
import type { MediaDrive, MediaInsertion } from '../../../protocols/machine/index.ts';
import { DRIVE } from './media-view.ts';

/** The drive as clients see it, from the status. */
export function mediaDriveOf(entry: MediaStatus | undefined, verifiesCertificate: boolean): MediaDrive {
  const insertion = insertionOf(entry);
  const isEmpty = entry === undefined || !occupies(entry);
  return {
    id: DRIVE,
    mediaTypes: ['CD', 'DVD'],
    ...(isEmpty || entry.image === undefined ? {} : { image: entry.image }),
    ...(isEmpty || entry.userName === undefined ? {} : { userName: entry.userName }),
    ...(isEmpty ? {} : { transferMethod: 'Stream' as const }),
    isInserted: !isEmpty && entry.inserted === true,
    isWriteProtected: true,
    verifiesCertificate,
    ...(insertion === undefined ? {} : { insertion }),
  };
}

/** A failed image stays in the drive, with the reason, until it is ejected or replaced. */
export function occupies({ phase }: MediaStatus): boolean {
  return phase !== undefined && phase !== 'Ejected' && phase !== 'Ejecting';
}

const STATES: Record<NonNullable<MediaStatus['phase']>, MediaInsertion['state']> = {
  Preparing: 'Importing',
  Importing: 'Importing',
  Waiting: 'Waiting',
  Inserted: 'Done',
  Failing: 'Failed',
  Failed: 'Failed',
  Ejecting: 'Done',
  Ejected: 'Done',
};

function insertionOf(entry: MediaStatus | undefined): MediaInsertion | undefined {
  if (entry?.id === undefined || entry.phase === undefined) return undefined;
  const { id, phase, progress, message = '', startedAt, endedAt } = entry;
  const percent = Number.parseFloat(progress ?? '');
  const isOver = phase === 'Ejecting' || phase === 'Ejected';
  return {
    id,
    // Ejected before the import was complete.
    state: isOver && progress !== '100.0%' ? 'Failed' : STATES[phase],
    ...(Number.isNaN(percent) ? {} : { progress: percent }),
    message,
    startedAt: Date.parse(startedAt ?? '') || 0,
    ...(endedAt === undefined ? {} : { endedAt: Date.parse(endedAt) }),
  };
}
