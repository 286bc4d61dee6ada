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
 * What the override in the BMC's status requires.
 *
 * - `none`: there is no override. - `pending`: it is in the VM's template, or the owner has changed the template since;
 * wait for the next boot. - `write`: it was saved, but not yet written to the VM. - `restore`: it was for one boot,
 * which has started. - `lapse`: no boot was requested in time. - `adopt`: it is persistent, and the VM was recreated. -
 * `drop`: it was for one boot of a VM that is gone.
 */
export type OverrideVerdict = 'none' | 'pending' | 'write' | 'restore' | 'lapse' | 'adopt' | 'drop';

/** Evaluates an override from the API objects alone, so that a new agent continues after a crash at any point. */
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

/** The VMI was created after the override and boots from it. */
function isConsumed(saved: BootOverrideStatus, vm: VirtualMachine, vmi: VirtualMachineInstance): boolean {
  if (vmi.metadata.uid === (saved.vmiUID ?? '')) return false;
  if (isOverridden(templateOf(vmi, vm), saved)) return true;
  // The owner changed the template during the override; this VMI boots from the combined result.
  return carriesOrder(vmi, vm) && !isOriginal(vm, saved);
}
