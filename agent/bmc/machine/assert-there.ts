import type { VirtualMachine, VirtualMachineBMC } from '../../../api/index.ts';
import { MachineError } from '../../../protocols/machine/index.ts';

/**
 * That there is a machine to write to, and a BMC that will give it back what is taken from it.
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
