import type { VirtualMachine, VirtualMachineInstance } from '../kubevirt/objects.ts';
import { runStrategyOf } from './run-strategy.ts';

/** Whether a VM is meant to run (`isSetToStart`). */
export function isSetToStart(vm: VirtualMachine, vmi: VirtualMachineInstance | undefined): boolean {
  const [request] = vm.status?.stateChangeRequests ?? [];
  switch (runStrategyOf(vm.spec)) {
    case 'Always':
      return true;
    case 'Manual':
      if (vmi === undefined) return request?.action === 'Start';
      return request?.action !== 'Stop' || request.uid !== vmi.metadata.uid;
    case 'RerunOnFailure':
      return vmi?.status?.phase !== 'Succeeded';
    case 'Once':
      return vmi === undefined;
    default:
      return false;
  }
}
