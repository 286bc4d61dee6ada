import {
  BMC_FINALIZER,
  restorePatch,
  VIRTUAL_MACHINE_BMCS,
  ejectMediaPatch,
  overrideToUndo,
  VIRTUAL_MACHINES,
  type VirtualMachineBMC,
  type VirtualMachine,
} from '../../api/index.ts';
import { ApiError, retryOnConflict, type KubeClient, type ObjectRef } from '@groundcrew/controller-runtime';
import { Finalizer } from '../finalizer.ts';
import { isRefusal } from '../refusal.ts';
import { virtualMachineOf } from './caches.ts';

/** Keeps a BMC until its virtual machine is restored. */
export const FINALIZER = new Finalizer(VIRTUAL_MACHINE_BMCS, BMC_FINALIZER);

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
export async function restoreBoot(
  bmc: VirtualMachineBMC,
  client: KubeClient,
  machine = virtualMachineOf(bmc),
): Promise<boolean> {
  return await patchVm(
    machine,
    client,
    (vm) => restorePatch(vm, overrideToUndo(bmc, vm)),
    (name, why, options) =>
      new RestoreError(`The boot order of VirtualMachine ${name} could not be restored: ${why}`, options),
  );
}

/** An image could not be taken out of the virtual machine. */
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
export async function ejectMedia(
  bmc: VirtualMachineBMC,
  client: KubeClient,
  machine = virtualMachineOf(bmc),
): Promise<boolean> {
  return await patchVm(
    machine,
    client,
    (vm) => ejectMediaPatch(bmc, vm),
    (name, why, options) =>
      new EjectError(`The image could not be taken out of VirtualMachine ${name}: ${why}`, options),
  );
}

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

/** Two further attempts, without delay, after conflicts; then the work is left to a later call. */
const RETRIES = [0, 0];

/**
 * Patches a virtual machine. It is read from the server, not from a cache, and the patch fails if it has changed.
 *
 * @param patchOf a JSON patch; empty: nothing to write
 * @param refused creates the error for a rejection, from the VM's name and a message with what to do
 * @returns whether anything was written
 * @throws the error of `refused`, ApiError, TransportError
 */
async function patchVm(
  machine: ObjectRef,
  client: KubeClient,
  patchOf: (vm: VirtualMachine) => readonly unknown[],
  refused: (vmName: string, why: string, options: ErrorOptions) => Error,
): Promise<boolean> {
  const work = async (): Promise<boolean> => {
    const vm = await client.find(VIRTUAL_MACHINES, machine);
    const patch = vm === undefined ? [] : patchOf(vm);
    if (patch.length > 0) await client.patch(VIRTUAL_MACHINES, machine, 'json', patch);
    return patch.length > 0;
  };
  try {
    return await retryOnConflict(work, { delays: RETRIES });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const why =
      `${error.serverMessage}. It is tried again. ` +
      `To let the BMC go without it, remove the finalizer ${BMC_FINALIZER}.`;
    throw refused(machine.name, why, { cause: error });
  }
}
