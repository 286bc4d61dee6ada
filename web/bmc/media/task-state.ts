import type { Task, VirtualMedia } from '../redfish/resources.ts';

export function isRunning({ TaskState: state }: Task): boolean {
  return state === 'Running' || state === 'New' || state === 'Starting';
}

/** Whether the task is an insertion into the drive. */
export function isOf(task: Task, drive: VirtualMedia): boolean {
  return task.Payload?.TargetUri?.startsWith(`${drive['@odata.id']}/`) ?? false;
}
