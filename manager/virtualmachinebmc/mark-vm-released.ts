import { savedMediaPlace, VIRTUAL_MACHINES, type VirtualMachineBMC } from '../../api/index.ts';
import type { KubeClient } from '@groundcrew/controller-runtime';
import { isRefusal } from '../children/index.ts';
import { virtualMachineOf } from './caches.ts';

/** On a VirtualMachine for a moment while it is released from its BMC. */
export const RELEASE_ANNOTATION = 'bmc.kubevirt.io/released-from';

/**
 * Touches the virtual machine of a BMC that is being deleted, so that an agent that is about to write what the BMC's status promises, be it a
 * boot override or an image, finds it another version than it has read, and gives up: such a write is made for one version alone, and
 * the BMC is read after the machine. What is read of the machine after this is all that there is to undo.
 *
 * @param bmc as it stands since its deletion
 * @throws ApiError, TransportError
 */
export async function markVmReleased(bmc: VirtualMachineBMC, client: KubeClient): Promise<void> {
  if (!hasPromised(bmc)) return;
  try {
    await annotate(bmc, bmc.metadata.uid, client);
    await annotate(bmc, null, client);
  } catch (error) {
    // One that is gone needs none; what keeps us from writing it keeps the agent from it too, and is told where there is something to undo.
    if (!isRefusal(error)) throw error;
  }
}

async function annotate(bmc: VirtualMachineBMC, value: string | undefined | null, client: KubeClient): Promise<void> {
  const metadata = { annotations: { [RELEASE_ANNOTATION]: value } };
  await client.patch(VIRTUAL_MACHINES, virtualMachineOf(bmc), 'merge', { metadata });
}

function hasPromised({ status }: VirtualMachineBMC): boolean {
  if (status?.bootOverride !== undefined) return true;
  return status?.virtualMedia?.some((entry) => savedMediaPlace(entry) !== undefined) === true;
}
