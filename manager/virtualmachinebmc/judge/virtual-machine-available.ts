import type { Facts } from '../facts.ts';
import { isSecond } from './claim.ts';
import { firstOf, type Check, type Finding } from './finding.ts';
import { asBefore } from './as-before.ts';
import { REASONS } from './reasons.ts';

/** Whether the virtual machine is there and is this BMC's. */
export function virtualMachineAvailable(facts: Facts): Finding {
  return firstOf([isSecond, unread, kubeVirtAbsent, missing], facts, {
    status: 'True',
    reason: REASONS.virtualMachineFound,
    message: `VirtualMachine ${facts.bmc.spec.virtualMachineRef.name} is there.`,
  });
}

const unread: Check = (facts) =>
  facts.virtualMachine === 'Unread'
    ? asBefore(facts, 'VirtualMachineAvailable', {
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
