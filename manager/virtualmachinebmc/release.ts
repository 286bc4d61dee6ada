import { BMC_FINALIZER, restorePatch, VIRTUAL_MACHINE_BMCS, type VirtualMachineBMC } from '../../api/index.ts';
import type { KubeClient } from '@groundcrew/controller-runtime';
import { patchVm } from './patch-vm.ts';

/** The virtual machine does not take its boot order back. */
export class RestoreError extends Error {
  override readonly name = 'RestoreError';
  readonly code = 'BootOrderNotRestored';
}

/**
 * Gives the virtual machine the boot order back that an override took from it. May be called many times.
 *
 * @returns whether anything had to be written
 * @throws RestoreError, ApiError, TransportError
 */
export async function restoreBoot(bmc: VirtualMachineBMC, client: KubeClient): Promise<boolean> {
  const saved = bmc.status?.bootOverride;
  if (saved === undefined) return false;
  return await patchVm(
    bmc,
    client,
    // A virtual machine that was made again under the name has the boot order that its owner gave it.
    (vm) => (saved.vmUID !== undefined && saved.vmUID !== vm.metadata.uid ? [] : restorePatch(vm, saved)),
    (name, why, options) =>
      new RestoreError(`The boot order of VirtualMachine ${name} could not be restored: ${why}`, options),
  );
}

/**
 * Writes the finalizers, if the BMC is still as it was read: what was saved of a boot order since then is not lost.
 *
 * @throws ApiError 409 where it has changed
 */
export async function setFinalizer(
  bmc: VirtualMachineBMC,
  wanted: boolean,
  client: KubeClient,
): Promise<VirtualMachineBMC> {
  const { namespace = '', name, uid, resourceVersion, finalizers = [] } = bmc.metadata;
  const others = finalizers.filter((finalizer) => finalizer !== BMC_FINALIZER);
  return await client.patch(VIRTUAL_MACHINE_BMCS, { namespace, name }, 'merge', {
    metadata: { uid, resourceVersion, finalizers: wanted ? [...others, BMC_FINALIZER] : others },
  });
}

export function hasFinalizer({ metadata }: VirtualMachineBMC): boolean {
  return metadata.finalizers?.includes(BMC_FINALIZER) === true;
}
