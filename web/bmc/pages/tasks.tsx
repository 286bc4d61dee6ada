import type { JSX } from 'preact';
import { Card } from '../../common/card.tsx';
import { Empty, Failure, Loading } from '../../common/states.tsx';
import { Time } from '../../common/time.tsx';
import { isRunning } from '../media/task-state.ts';
import { TaskBadge, TaskProgress } from '../media/task-progress.tsx';
import { useResource } from '../redfish/bmc-context.ts';
import type { Collection, Task } from '../redfish/resources.ts';
import { TASKS } from '../redfish/uris.ts';

export function Tasks(): JSX.Element {
  const { body, problem, refresh } = useResource<Collection<Task>>(TASKS, { every: 2_000 });
  return (
    <>
      {problem !== undefined && <Failure trouble={problem} retry={() => void refresh()} />}
      <Card title={<span class="hidden">Tasks</span>} isFlush class="headless">
        {body === undefined && problem === undefined && <Loading what="tasks" />}
        {body?.Members.length === 0 && (
          <Empty icon="tasks" title="No tasks">
            The import of an image into a drive is a task.
          </Empty>
        )}
        {body !== undefined && body.Members.length > 0 && (
          <div class="table-scroll">
            <table class="table stacks">
              <thead>
                <tr>
                  <th scope="col">Task</th>
                  <th scope="col">State</th>
                  <th scope="col">Started</th>
                  <th scope="col">Ended</th>
                </tr>
              </thead>
              <tbody>
                {body.Members.map((task) => (
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
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Card>
    </>
  );
}
