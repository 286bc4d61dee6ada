import type { JSX } from 'preact';
import { Empty } from '../../common/states.tsx';
import { Time } from '../../common/time.tsx';
import { isRunning } from '../media/task-state.ts';
import { TaskBadge, TaskProgress } from '../media/task-progress.tsx';
import { useResource } from '../redfish/bmc-context.ts';
import type { Collection, Task } from '../redfish/resources.ts';
import { TASKS } from '../redfish/uris.ts';
import { ResourceTable } from './resource-table.tsx';

export function Tasks(): JSX.Element {
  const shown = useResource<Collection<Task>>(TASKS, { every: 2_000 });
  return (
    <ResourceTable
      title="Tasks"
      what="tasks"
      shown={shown}
      members={shown.body?.Members}
      columns={['Task', 'State', 'Started', 'Ended']}
      empty={
        <Empty icon="tasks" title="No tasks">
          The import of an image into a drive is a task.
        </Empty>
      }
      row={(task) => (
        <tr key={task.Id}>
          <td>
            <strong>{task.Name}</strong>
            {isRunning(task) && <TaskProgress task={task} />}
            {task.Messages?.map(({ Message, Resolution }) => (
              <p key={Message} class="quiet small">
                {[Message, task.TaskState === 'Completed' ? '' : Resolution].filter((part) => part).join(' ')}
              </p>
            ))}
          </td>
          <td>
            <TaskBadge task={task} />
          </td>
          <td class="quiet">
            <Time at={task.StartTime} />
          </td>
          <td class="quiet">
            <Time at={task.EndTime} />
          </td>
        </tr>
      )}
    />
  );
}
