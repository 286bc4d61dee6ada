import type { MediaDrive, MediaInsertion, VirtualMedia } from '../machine/index.ts';
import { collection, type Resource, type Route } from './resource.ts';
import { dateTime, type JsonObject } from './json.ts';
import { link, SYSTEM, TASK_SERVICE, VIRTUAL_MEDIA } from './uris.ts';
import type { RedfishContext } from './context.ts';
import { base, type Message, RedfishError } from './messages.ts';

/** The task service. Tasks are image imports: the last one of each drive, also after a restart. */
export function taskRoutes(context: RedfishContext): Route[] {
  const { media } = context.options.machine;
  const service = taskService(context);
  const tasks = collection('TaskCollection', 'Tasks', () =>
    insertions(media).map((one) => ({ uri: taskUri(one.insertion.id), resource: taskResource(one) })),
  );
  return [
    { path: TASK_SERVICE, find: () => service },
    { path: TASKS, find: () => tasks },
    {
      path: `${TASKS}/{id}`,
      find: ({ id = '' }) => {
        const found = findInsertion(media, id);
        return found === undefined ? undefined : taskResource(found);
      },
    },
    {
      path: monitorUri('{id}'),
      entity: 'Task',
      find: ({ id = '' }) => {
        const found = findInsertion(media, id);
        return found === undefined ? undefined : taskMonitor(found);
      },
    },
  ];
}

function taskService({ options }: RedfishContext): Resource {
  return {
    type: 'TaskService.v1_3_0.TaskService',
    isVolatile: true,
    read: () => ({
      Id: 'TaskService',
      Name: 'Task Service',
      ServiceEnabled: true,
      Status: { State: 'Enabled', Health: 'OK' },
      DateTime: dateTime(options.time()),
      CompletedTaskOverWritePolicy: 'Oldest',
      LifeCycleEventOnTaskStateChange: false,
      Tasks: link(TASKS),
    }),
  };
}

/** `Waiting` is not Completed, although clients must request a boot to complete it: the guest does not have the image. */
const STATES: Record<MediaInsertion['state'], string> = {
  Importing: 'Running',
  Waiting: 'Pending',
  Done: 'Completed',
  Failed: 'Exception',
};

function taskResource(of: DriveInsertion): Resource {
  return { type: 'Task.v1_7_4.Task', read: () => taskProperties(of) };
}

function taskProperties({ drive, insertion }: DriveInsertion): JsonObject {
  const { id, state, progress, startedAt, endedAt } = insertion;
  return {
    Id: id,
    Name: `Insertion of an image into the drive ${drive.id}`,
    TaskState: STATES[state],
    TaskStatus: messageAbout(insertion).MessageSeverity,
    ...(progress === undefined ? {} : { PercentComplete: Math.floor(progress) }),
    StartTime: dateTime(startedAt),
    ...(endedAt === undefined ? {} : { EndTime: dateTime(endedAt) }),
    TaskMonitor: monitorUri(id),
    HidePayload: true,
    Messages: [{ '@odata.type': '#Message.v1_3_0.Message', ...messageAbout(insertion) }],
    Payload: {
      HttpOperation: 'POST',
      TargetUri: `${VIRTUAL_MEDIA}/${drive.id}/Actions/VirtualMedia.InsertMedia`,
    },
  };
}

/** The insertion's own text, with the ID of the closest message. */
export function messageAbout({ state, message, resolution }: MediaInsertion): Message {
  if (state === 'Waiting') return { ...base('ResetRequired', POWER_CYCLE), Message: message };
  if (state !== 'Failed') return { ...base('Success'), Message: message };
  return { ...base('GeneralError'), Message: message, ...(resolution !== undefined && { Resolution: resolution }) };
}

/** The client has to power-cycle the machine. @param kept what the guest keeps until then */
export function powerCycleNeeded(kept: string): Message {
  return { ...base('ResetRequired', POWER_CYCLE), Resolution: kept };
}

const POWER_CYCLE = [`${SYSTEM}/Actions/ComputerSystem.Reset`, 'PowerCycle'];

/** Value of Retry-After, seconds. */
const RETRY_AFTER = '2';

/** Answers 202 with the Task while it runs, then 204 or the error, like the original request (DSP0266 §13.6). */
function taskMonitor(of: DriveInsertion): Resource {
  const { state, id } = of.insertion;
  return {
    type: 'Task.v1_7_4.Task',
    read: () => taskProperties(of),
    answer: () => {
      if (state === 'Failed') throw new RedfishError(400, [messageAbout(of.insertion)]);
      if (state === 'Done') return { status: 204 };
      return {
        status: 202,
        headers: { Location: monitorUri(id), 'Retry-After': RETRY_AFTER },
        body: taskProperties(of),
      };
    },
  };
}

const TASKS = `${TASK_SERVICE}/Tasks`;

/** An insertion and its drive. */
interface DriveInsertion {
  readonly drive: MediaDrive;
  readonly insertion: MediaInsertion;
}

/** URI of the Task of an insertion. */
export function taskUri(id: string): string {
  return `${TASKS}/${id}`;
}

function monitorUri(id: string): string {
  return `${TASK_SERVICE}/TaskMonitors/${id}`;
}

function insertions(media: VirtualMedia): DriveInsertion[] {
  return media
    .drives()
    .flatMap((drive) => (drive.insertion === undefined ? [] : [{ drive, insertion: drive.insertion }]));
}

function findInsertion(media: VirtualMedia, id: string): DriveInsertion | undefined {
  return insertions(media).find(({ insertion }) => insertion.id === id);
}
