import {
  BMC_FINALIZER,
  restorePatch,
  VIRTUAL_MACHINE_BMCS,
  VIRTUAL_MACHINES,
  type VirtualMachineBMC,
} from '../../api/index.ts';
import { ApiError, type KubeClient } from '../../kube/index.ts';
import { virtualMachineOf } from './caches.ts';

/** Patches that may fail because the virtual machine was changed meanwhile, before it is left to a later call. */
const ATTEMPTS = 3;

/** The virtual machine does not take its boot order back. */
export class RestoreError extends Error {
  override readonly name = 'RestoreError';
  readonly code = 'BootOrderNotRestored';
}

/**
 * Gives the virtual machine the boot order back that an override took from it. May be called many times. The virtual
 * machine is read from the server, not from a cache: the patch is refused where it has changed.
 *
 * @returns whether anything had to be written
 * @throws RestoreError, ApiError, TransportError
 */
export async function restoreBoot(bmc: VirtualMachineBMC, client: KubeClient): Promise<boolean> {
  const saved = bmc.status?.bootOverride;
  if (saved === undefined) return false;
  for (let attempt = 1; ; attempt += 1) {
    const vm = await client.find(VIRTUAL_MACHINES, virtualMachineOf(bmc));
    // A virtual machine that was made again under the name has the boot order that its owner gave it.
    if (vm === undefined || (saved.vmUID !== undefined && saved.vmUID !== vm.metadata.uid)) return false;
    const patch = restorePatch(vm, saved);
    if (patch.length === 0) return false;
    try {
      await client.patch(VIRTUAL_MACHINES, virtualMachineOf(bmc), 'json', patch);
      return true;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const isStale = error.status === 409 || error.status === 422;
      if (isStale && attempt < ATTEMPTS) continue;
      throw new RestoreError(
        `The boot order of VirtualMachine ${vm.metadata.name} could not be restored: ${error.serverMessage}. ` +
          `It is tried again. To let the BMC go without it, remove the finalizer ${BMC_FINALIZER}.`,
        { cause: error },
      );
    }
  }
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
