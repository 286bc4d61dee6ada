import type { JSX } from 'preact';
import { Badge, type Tone } from '../../common/badge.tsx';
import type { Task } from '../redfish/resources.ts';

const STATES: Readonly<Record<string, readonly [text: string, tone: Tone]>> = {
  Running: ['Importing', 'busy'],
  Pending: ['Waits for a power cycle', 'warn'],
  Completed: ['Done', 'good'],
  Exception: ['Failed', 'bad'],
};

export function TaskBadge({ task }: { task: Task }): JSX.Element {
  const [text, tone] = STATES[task.TaskState] ?? [task.TaskState, 'quiet'];
  return (
    <Badge tone={tone} {...(tone === 'quiet' && { icon: 'tasks' })}>
      {text}
    </Badge>
  );
}

/** The bar of a task that runs. It moves without a number while the size of the image is not known. */
export function TaskProgress({ task }: { task: Task }): JSX.Element {
  const percent = task.PercentComplete;
  return (
    <div class="progress">
      <progress max={100} {...(percent !== undefined && { value: percent })} aria-label={task.Name} />
      <span>{percent === undefined ? '' : `${percent} %`}</span>
    </div>
  );
}
