import { useCallback, useEffect } from 'preact/hooks';
import { useNotices } from '../../common/use-notices.ts';
import { useAction } from '../../common/use-action.ts';
import { useBmc, useResource } from '../redfish/bmc-context.ts';
import type { Client } from '../redfish/client.ts';
import type { ComputerSystem, Task } from '../redfish/resources.ts';
import { SYSTEM } from '../redfish/uris.ts';
import { isRunning } from './task-state.ts';

/** ms between two looks at the import. */
const LOOK = 1_000;

/** Boots the machine once the import is complete, on whatever page the reader is. Shows nothing. */
export function BootAfter({ task: uri }: { task: string }): null {
  const { store, boot } = useBmc();
  const notices = useNotices();
  const { body: task, problem } = useResource<Task>(uri);
  const bootMachine = useBoot();
  useEffect(() => {
    // Also while the page is hidden: the reader has been told that the machine boots.
    const timer = setInterval(() => void store.refresh(uri), LOOK);
    return () => {
      clearInterval(timer);
    };
  }, [store, uri]);
  // Another insertion into the drive replaces the Task, and an ejection removes it.
  const isGone = problem?.status === 404;
  const state = task?.TaskState;
  const isOver = isGone || (task !== undefined && !isRunning(task));
  useEffect(() => {
    if (!isOver) return;
    boot.await(undefined);
    if (!isGone && state !== 'Exception') void bootMachine();
    else {
      const message = isGone ? 'The image was ejected before its import was complete.' : 'The image was not imported.';
      notices.failed({ message, resolution: 'The machine was not booted.' });
    }
  }, [isOver, isGone, state, boot, bootMachine, notices]);
  return null;
}

/** Powers the machine on, or off and on, and says so. */
export function useBoot(): () => Promise<boolean> {
  const { client, store } = useBmc();
  const [boot] = useAction(
    useCallback(async () => {
      await bootNow(client);
      void store.refresh(SYSTEM);
      return 'The machine boots from the image.';
    }, [client, store]),
  );
  return boot;
}

async function bootNow(client: Client): Promise<void> {
  const { PowerState } = await client.get<ComputerSystem>(SYSTEM);
  await client.send('POST', `${SYSTEM}/Actions/ComputerSystem.Reset`, {
    ResetType: PowerState === 'Off' ? 'On' : 'PowerCycle',
  });
}
