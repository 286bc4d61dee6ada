import { base, RedfishError } from '../messages/index.ts';
import type { Resource } from '../resource.ts';
import type { DriveInsertion } from './insertions.ts';
import { monitorUri } from './insertions.ts';
import { taskProperties } from './task.ts';

/** Value of Retry-After, seconds. */
const RETRY_AFTER = '2';

/** Answers 202 with the Task while it runs, then 204 or the error, like the original request (DSP0266 §13.6). */
export function taskMonitor(of: DriveInsertion): Resource {
  const { state, message, id } = of.insertion;
  return {
    type: 'Task.v1_7_4.Task',
    read: () => taskProperties(of),
    answer: () => {
      if (state === 'Failed') throw new RedfishError(400, [{ ...base('GeneralError'), Message: message }]);
      if (state !== 'Importing') return { status: 204 };
      return {
        status: 202,
        headers: { Location: monitorUri(id), 'Retry-After': RETRY_AFTER },
        body: taskProperties(of),
      };
    },
  };
}
