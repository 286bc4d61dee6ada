import { ejectPatch, savedMediaPlace, VIRTUAL_MACHINES, type MediaStatus } from '../../../api/index.ts';
import { isLostRace, type KubeClient, type Logger, type ObjectRef } from '@groundcrew/controller-runtime';
import { readMachine } from '../machine/machine-objects.ts';
import type { BmcStatus } from '../status/bmc-status.ts';
import { entryOf } from './media-entry.ts';

export interface TakeBackOptions {
  client: KubeClient;
  status: Pick<BmcStatus, 'find'>;
  /** The VM. */
  machine: ObjectRef;
  logger: Logger;
}

/** Attempts after conflicting changes of the VM. */
const ATTEMPTS = 6;

/**
 * Removes an image that was just inserted if its insertion has ended meanwhile. Another agent, or the manager for a
 * deleted BMC, may have checked the VM before the insertion.
 *
 * @param entry of the inserted image
 * @throws MachineError, ApiError, TransportError
 */
export async function takeBack(
  entry: MediaStatus,
  { client, status, machine, logger }: TakeBackOptions,
): Promise<void> {
  const bmc = await status.find();
  const now = bmc?.metadata.deletionTimestamp === undefined ? bmc && entryOf(bmc) : undefined;
  const place = savedMediaPlace(entry);
  const isOn = now !== undefined && now.id === entry.id && now.phase !== 'Ejected' && now.phase !== 'Failed';
  if (isOn || place === undefined) return;
  logger.warn({}, 'an image was put in whose insertion had ended: taking it out');
  // Without delay: for a deleted BMC this is the last action.
  for (let attempt = 1; ; attempt += 1) {
    const { vm } = await readMachine(client, machine);
    const patch = vm === undefined || vm.metadata.uid !== entry.vmUID ? [] : ejectPatch(vm, place);
    if (patch.length === 0) return;
    try {
      await client.patch(VIRTUAL_MACHINES, machine, 'json', patch);
      return;
    } catch (error) {
      if (attempt === ATTEMPTS || !isLostRace(error)) throw error;
    }
  }
}
