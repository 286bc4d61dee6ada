import { collection } from '../collection.ts';
import type { RedfishContext } from '../context.ts';
import { dateTime } from '../date-time.ts';
import type { Resource, Route } from '../resource.ts';
import { link, TASK_SERVICE } from '../uris.ts';
import { findInsertion, insertions, monitorUri, taskUri, TASKS } from './insertions.ts';
import { taskMonitor } from './task-monitor.ts';
import { taskResource } from './task.ts';

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
