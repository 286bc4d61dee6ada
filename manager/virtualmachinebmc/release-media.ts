import { ejectPatch, savedMediaPlace, type VirtualMachineBMC } from '../../api/index.ts';
import type { KubeClient } from '@groundcrew/controller-runtime';
import { patchVm } from './patch-vm.ts';

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
    const hasWritten = await patchVm(
      bmc,
      client,
      (vm) => (vm.metadata.uid === entry.vmUID ? ejectPatch(vm, place) : []),
      (name, why, options) =>
        new EjectError(`The image could not be taken out of VirtualMachine ${name}: ${why}`, options),
    );
    isChanged ||= hasWritten;
  }
  return isChanged;
}
