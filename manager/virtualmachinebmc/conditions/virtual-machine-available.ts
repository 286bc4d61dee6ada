import type { Inputs } from '../inputs.ts';
import { isSecond } from './claim.ts';
import { firstOf, type Check, type ConditionResult } from './condition-result.ts';
import { asBefore } from './as-before.ts';
import { REASONS } from './reasons.ts';

/** Whether the virtual machine exists and this BMC holds it. */
export function virtualMachineAvailable(inputs: Inputs): ConditionResult {
  return firstOf([isSecond, unread, kubeVirtAbsent, missing], inputs, {
    status: 'True',
    reason: REASONS.virtualMachineFound,
    message: `VirtualMachine ${inputs.bmc.spec.virtualMachineRef.name} is there.`,
  });
}

const unread: Check = (inputs) =>
  inputs.virtualMachine === 'Unread'
    ? asBefore(inputs, 'VirtualMachineAvailable', {
        status: 'Unknown',
        reason: REASONS.virtualMachineUnread,
        message: 'Virtual machines have not been read yet. If this stays, see the log of groundcrew-manager.',
      })
    : undefined;

const kubeVirtAbsent: Check = ({ virtualMachine }) =>
  virtualMachine === 'KubeVirtAbsent'
    ? {
        status: 'False',
        reason: REASONS.kubeVirtNotInstalled,
        message: 'KubeVirt is not installed in this cluster. Install it; nothing has to be done here afterwards.',
      }
    : undefined;

const missing: Check = ({ virtualMachine, bmc }) =>
  virtualMachine === 'Missing'
    ? {
        status: 'False',
        reason: REASONS.virtualMachineNotFound,
        message:
          `There is no VirtualMachine ${bmc.spec.virtualMachineRef.name} in namespace ${bmc.metadata.namespace ?? ''}. ` +
          'Create it, or correct spec.virtualMachineRef.name; the BMC keeps its address meanwhile.',
      }
    : undefined;
