import { ejectPatch, savedMediaPlace, type VirtualMachineBMC } from '../../api/index.ts';
import type { KubeClient } from '@groundcrew/controller-runtime';
import { patchVm } from './patch-vm.ts';

/** The virtual machine's CD-ROM drive could not be restored. */
export class EjectError extends Error {
  override readonly name = 'EjectError';
  readonly code = 'MediaNotEjected';
}

/**
 * Ejects the media that clients of the BMC inserted and restores the owner's content of the drives. Idempotent. The
 * images themselves are deleted with the BMC.
 *
 * @returns whether anything was written
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
