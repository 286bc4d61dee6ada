import {
  BMC_FINALIZER,
  ejectPatch,
  savedMediaPlace,
  VIRTUAL_MACHINES,
  type VirtualMachine,
  type VirtualMachineBMC,
} from '../../api/index.ts';
import { ApiError, type KubeClient } from '../../kube/index.ts';
import { virtualMachineOf } from './caches.ts';

/** Patches that may fail because the virtual machine was changed meanwhile, before it is left to a later call. */
const ATTEMPTS = 3;

/** The virtual machine does not take back what was in its CD-ROM drive. */
export class EjectError extends Error {
  override readonly name = 'EjectError';
  readonly code = 'MediaNotEjected';
}

/**
 * Takes the images out of the virtual machine that clients of the BMC inserted, and gives its drives back what the owner had in them. May
 * be called many times. The images themselves are the BMC's, and go with it.
 *
 * @returns whether anything had to be written
 * @throws EjectError, ApiError, TransportError
 */
export async function ejectMedia(bmc: VirtualMachineBMC, client: KubeClient): Promise<boolean> {
  let isChanged = false;
  for (const entry of bmc.status?.virtualMedia ?? []) {
    const place = savedMediaPlace(entry);
    if (place === undefined) continue;
    isChanged =
      (await patched(bmc, client, (vm) => (vm.metadata.uid === entry.vmUID ? ejectPatch(vm, place) : []))) || isChanged;
  }
  return isChanged;
}

async function patched(
  bmc: VirtualMachineBMC,
  client: KubeClient,
  patchOf: (vm: VirtualMachine) => readonly unknown[],
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
      throw new EjectError(
        `The image could not be taken out of VirtualMachine ${vm.metadata.name}: ${error.serverMessage}. ` +
          `It is tried again. To let the BMC go without it, remove the finalizer ${BMC_FINALIZER}.`,
        { cause: error },
      );
    }
  }
}
