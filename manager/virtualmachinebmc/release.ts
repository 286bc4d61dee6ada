import { BMC_FINALIZER, restorePatch, VIRTUAL_MACHINE_BMCS, type VirtualMachineBMC } from '../../api/index.ts';
import type { KubeClient } from '@groundcrew/controller-runtime';
import { patchVm } from './patch-vm.ts';

/** The virtual machine's boot order could not be restored. */
export class RestoreError extends Error {
  override readonly name = 'RestoreError';
  readonly code = 'BootOrderNotRestored';
}

/**
 * Restores the boot order of the virtual machine before an override. Idempotent.
 *
 * @returns whether anything was written
 * @throws RestoreError, ApiError, TransportError
 */
export async function restoreBoot(bmc: VirtualMachineBMC, client: KubeClient): Promise<boolean> {
  const saved = bmc.status?.bootOverride;
  if (saved === undefined) return false;
  return await patchVm(
    bmc,
    client,
    // A recreated virtual machine already has its owner's boot order.
    (vm) => (saved.vmUID !== undefined && saved.vmUID !== vm.metadata.uid ? [] : restorePatch(vm, saved)),
    (name, why, options) =>
      new RestoreError(`The boot order of VirtualMachine ${name} could not be restored: ${why}`, options),
  );
}

/**
 * Writes the finalizers if the BMC has not changed, so that a boot order saved since is not lost.
 *
 * @throws ApiError 409 if it has changed
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
