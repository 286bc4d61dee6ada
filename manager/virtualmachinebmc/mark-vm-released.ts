import { savedMediaPlace, VIRTUAL_MACHINES, type VirtualMachineBMC } from '../../api/index.ts';
import type { KubeClient } from '@groundcrew/controller-runtime';
import { isRefusal } from '../refusal.ts';
import { virtualMachineOf } from './caches.ts';

/** Temporary annotation of a VirtualMachine while it is released from its BMC. */
export const RELEASE_ANNOTATION = 'bmc.kubevirt.io/released-from';

/**
 * Changes the resourceVersion of the virtual machine of a BMC that is being deleted. A pending write of the agent (boot
 * override or media) then fails, since it requires the version that the agent read, and the agent reads the BMC after
 * the VM. So the VM as read after this call has everything that must be undone.
 *
 * @param bmc as read after the start of its deletion
 * @throws ApiError, TransportError
 */
export async function markVmReleased(bmc: VirtualMachineBMC, client: KubeClient): Promise<void> {
  if (!hasPromised(bmc)) return;
  try {
    await annotate(bmc, bmc.metadata.uid, client);
    await annotate(bmc, null, client);
  } catch (error) {
    // A deleted VM needs no mark. If the manager may not write the VM, a restore that is needed will report it.
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
