import type { JSX } from 'preact';
import { Failure, Loading } from '../../common/states.tsx';
import { useResource } from '../redfish/bmc-context.ts';
import type { Collection, Task, VirtualMedia } from '../redfish/resources.ts';
import { MEDIA, TASKS } from '../redfish/uris.ts';
import { DriveCard } from './drive-card.tsx';
import { isOf, isRunning } from './task-state.ts';

export function Media(): JSX.Element {
  const drives = useResource<Collection<VirtualMedia>>(MEDIA);
  const tasks = useResource<Collection<Task>>(TASKS);
  const isBusy = tasks.body?.Members.some(isRunning) ?? false;
  // Neither the progress of an import nor a guest that gets the image has events.
  useResource(TASKS, { every: isBusy ? 1_000 : 5_000 });
  useResource(MEDIA, { every: isBusy ? 2_000 : 5_000 });
  if (drives.body === undefined) {
    if (drives.problem === undefined) return <Loading what="the drives" />;
    return <Failure trouble={drives.problem} retry={() => void drives.refresh()} />;
  }
  return (
    <>
      <p class="quiet">
        The BMC imports an image from a web server and puts it into a drive of the machine. It stays there through boots
        until it is ejected.
      </p>
      <div class="cards">
        {drives.body.Members.map((drive) => (
          <DriveCard key={drive.Id} drive={drive} task={tasks.body?.Members.find((task) => isOf(task, drive))} />
        ))}
      </div>
    </>
  );
}
