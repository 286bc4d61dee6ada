import type { VirtualMachine, VirtualMachineBMC } from '../../../api/index.ts';
import { MachineError } from '../../../protocols/machine/index.ts';

/**
 * Asserts that the machine exists and its BMC is not being deleted.
 *
 * @throws MachineError `InvalidState`, `Unavailable`
 */
export function assertThere(bmc: VirtualMachineBMC, vm: VirtualMachine | undefined): asserts vm is VirtualMachine {
  if (bmc.metadata.deletionTimestamp !== undefined) {
    throw new MachineError('InvalidState', 'the VirtualMachineBMC is being deleted');
  }
  if (vm === undefined || vm.metadata.deletionTimestamp !== undefined) {
    throw new MachineError('Unavailable', 'the virtual machine does not exist');
  }
}
