import {
  carriesOrder,
  type BootOverrideStatus,
  type VirtualMachine,
  type VirtualMachineBMC,
  type VirtualMachineInstance,
} from '../../../api/index.ts';
import { isOriginal, isOverridden, templateOf } from './saved-override.ts';

export interface OverrideView {
  bmc: VirtualMachineBMC;
  vm: VirtualMachine | undefined;
  vmi: VirtualMachineInstance | undefined;
  /** ms since 1970. */
  now: number;
}

/**
 * What an override that stands in the BMC's status asks for.
 *
 * - `none`: there is none.
 * - `pending`: it is in the VM's template, or its owner has changed the template since; the next boot decides.
 * - `write`: it was saved, and never came to be written to the VM.
 * - `restore`: it was for one boot, and that has begun.
 * - `lapse`: nobody has asked for a boot in time.
 * - `adopt`: it is to stay, and the VM was made anew.
 * - `drop`: it was for one boot of a VM that is gone.
 */
export type OverrideVerdict = 'none' | 'pending' | 'write' | 'restore' | 'lapse' | 'adopt' | 'drop';

/**
 * Evaluates an override from nothing but the objects, so that an agent which starts anew after a crash at any point goes
 * on where the one before it stopped.
 */
export function evaluateOverride({ bmc, vm, vmi, now }: OverrideView): OverrideVerdict {
  const saved = bmc.status?.bootOverride;
  if (saved === undefined) return 'none';
  // From its deletion on, the manager restores the VM.
  if (bmc.metadata.deletionTimestamp !== undefined) return 'pending';
  if (vm === undefined || vm.metadata.deletionTimestamp !== undefined) return 'pending';
  if (saved.vmUID !== vm.metadata.uid)
    return saved.mode === 'Persistent' && saved.target !== undefined ? 'adopt' : 'drop';
  if (saved.mode === 'Oneshot' && vmi !== undefined && isConsumed(saved, vm, vmi)) return 'restore';
  if (saved.expires !== undefined && Date.parse(saved.expires) <= now) return 'lapse';
  return isOriginal(vm, saved) && !isOverridden(vm, saved) ? 'write' : 'pending';
}

/** The VMI is a later one than ran when the override was made, and boots as the override says. */
function isConsumed(saved: BootOverrideStatus, vm: VirtualMachine, vmi: VirtualMachineInstance): boolean {
  if (vmi.metadata.uid === (saved.vmiUID ?? '')) return false;
  if (isOverridden(templateOf(vmi, vm), saved)) return true;
  // The owner changed the template while the override was in it; what this VMI boots is the outcome of both.
  return carriesOrder(vmi, vm) && !isOriginal(vm, saved);
}
