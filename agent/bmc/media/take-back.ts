import { ejectPatch, savedMediaPlace, VIRTUAL_MACHINES, type MediaStatus } from '../../../api/index.ts';
import {
  retryOnConflict,
  type Clock,
  type KubeClient,
  type Logger,
  type ObjectRef,
} from '@groundcrew/controller-runtime';
import { readMachine } from '../machine/machine-objects.ts';
import type { BmcStatus } from '../status/bmc-status.ts';
import { entryOf } from './media-entry.ts';

export interface TakeBackOptions {
  client: KubeClient;
  status: Pick<BmcStatus, 'find'>;
  /** The VM. */
  machine: ObjectRef;
  clock: Clock;
  logger: Logger;
}

/** Without delays: for a deleted BMC this is the last action. */
const DELAYS = [0, 0, 0, 0, 0];

/**
 * Removes an image that was just inserted if its insertion has ended meanwhile. Another agent, or the manager for a
 * deleted BMC, may have checked the VM before the insertion.
 *
 * @param entry of the inserted image
 * @throws MachineError, ApiError, TransportError
 */
export async function takeBack(
  entry: MediaStatus,
  { client, status, machine, clock, logger }: TakeBackOptions,
): Promise<void> {
  const bmc = await status.find();
  const now = bmc?.metadata.deletionTimestamp === undefined ? bmc && entryOf(bmc) : undefined;
  const place = savedMediaPlace(entry);
  const isOn = now !== undefined && now.id === entry.id && now.phase !== 'Ejected' && now.phase !== 'Failed';
  if (isOn || place === undefined) return;
  logger.warn({}, 'an image was put in whose insertion had ended: taking it out');
  await retryOnConflict(
    async () => {
      const { vm } = await readMachine(client, machine);
      const patch = vm === undefined || vm.metadata.uid !== entry.vmUID ? [] : ejectPatch(vm, place);
      if (patch.length > 0) await client.patch(VIRTUAL_MACHINES, machine, 'json', patch);
    },
    { clock, delays: DELAYS },
  );
}
