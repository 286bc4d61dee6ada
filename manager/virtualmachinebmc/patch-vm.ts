import { BMC_FINALIZER, VIRTUAL_MACHINES, type VirtualMachine, type VirtualMachineBMC } from '../../api/index.ts';
import { ApiError, type KubeClient } from '@groundcrew/controller-runtime';
import { virtualMachineOf } from './caches.ts';

/** Attempts after conflicts before the work is left to a later call. */
const ATTEMPTS = 3;

/**
 * Patches a BMC's virtual machine. It is read from the server, not from a cache, and the patch fails if it has changed.
 *
 * @param patchOf a JSON patch; empty: nothing to write
 * @param refused creates the error for a rejection, from the VM's name and a message with what to do
 * @returns whether anything was written
 * @throws the error of `refused`, ApiError, TransportError
 */
export async function patchVm(
  bmc: VirtualMachineBMC,
  client: KubeClient,
  patchOf: (vm: VirtualMachine) => readonly unknown[],
  refused: (vmName: string, why: string, options: ErrorOptions) => Error,
): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    const vm = await client.find(VIRTUAL_MACHINES, virtualMachineOf(bmc));
    const patch = vm === undefined ? [] : patchOf(vm);
    if (vm === undefined || patch.length === 0) return false;
    try {
      await client.patch(VIRTUAL_MACHINES, virtualMachineOf(bmc), 'json', patch);
      return true;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const isStale = error.status === 409 || error.status === 422;
      if (isStale && attempt < ATTEMPTS) continue;
      const why =
        `${error.serverMessage}. ` +
        `It is tried again. To let the BMC go without it, remove the finalizer ${BMC_FINALIZER}.`;
      throw refused(vm.metadata.name, why, { cause: error });
    }
  }
}
