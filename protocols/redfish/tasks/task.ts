import type { MediaInsertion } from '../../machine/index.ts';
import { dateTime } from '../date-time.ts';
import type { JsonObject } from '../json.ts';
import { base } from '../messages/index.ts';
import type { Resource } from '../resource.ts';
import { VIRTUAL_MEDIA } from '../uris.ts';
import { monitorUri, type DriveInsertion } from './insertions.ts';

/** `Waiting` is Completed: the machine uses the image from its next boot, and clients wait for the task before they request that boot. */
const STATES: Record<MediaInsertion['state'], string> = {
  Importing: 'Running',
  Waiting: 'Completed',
  Done: 'Completed',
  Failed: 'Exception',
};

export function taskResource(of: DriveInsertion): Resource {
  return { type: 'Task.v1_7_4.Task', read: () => taskProperties(of) };
}

export function taskProperties({ drive, insertion }: DriveInsertion): JsonObject {
  const { id, state, progress, startedAt, endedAt } = insertion;
  const isFailed = state === 'Failed';
  return {
    Id: id,
    Name: `Insertion of an image into the drive ${drive.id}`,
    TaskState: STATES[state],
    TaskStatus: isFailed ? 'Critical' : 'OK',
    ...(progress === undefined ? {} : { PercentComplete: Math.floor(progress) }),
    StartTime: dateTime(startedAt),
    ...(endedAt === undefined ? {} : { EndTime: dateTime(endedAt) }),
    TaskMonitor: monitorUri(id),
    HidePayload: true,
    Messages: [told(insertion)],
    Payload: {
      HttpOperation: 'POST',
      TargetUri: `${VIRTUAL_MEDIA}/${drive.id}/Actions/VirtualMedia.InsertMedia`,
    },
  };
}

/** The insertion's own text, with the ID of the closest message. */
function told({ state, message }: MediaInsertion): JsonObject {
  const about = state === 'Failed' ? base('GeneralError') : base('Success');
  return { '@odata.type': '#Message.v1_3_0.Message', ...about, Message: message };
}
