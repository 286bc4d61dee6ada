import { byAge } from '../../by-age.ts';
import { holds, holdsNot, type ConditionResult } from '../../conditions.ts';
import type { Inputs } from '../inputs.ts';
import { firstOf, asBefore, REASONS, type Check } from './condition-result.ts';
import type { VirtualMachineBMC } from '../../../api/index.ts';

/** Whether the virtual machine exists and this BMC holds it. */
export function virtualMachineAvailable(inputs: Inputs): ConditionResult {
  return firstOf(
    [isSecond, unread, kubeVirtAbsent, vmMissing],
    inputs,
    holds(REASONS.virtualMachineFound, `VirtualMachine ${inputs.bmc.spec.virtualMachineRef.name} is there.`),
  );
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
    ? holdsNot(
        REASONS.kubeVirtNotInstalled,
        'KubeVirt is not installed in this cluster. Install it; nothing has to be done here afterwards.',
      )
    : undefined;

const vmMissing: Check = ({ virtualMachine, bmc }) =>
  virtualMachine === 'Missing'
    ? holdsNot(
        REASONS.virtualMachineNotFound,
        `There is no VirtualMachine ${bmc.spec.virtualMachineRef.name} in namespace ${bmc.metadata.namespace ?? ''}. ` +
          'Create it, or replace this VirtualMachineBMC by one for another VM; the BMC keeps its address meanwhile.',
      )
    : undefined;

/**
 * The BMC that holds the virtual machine and the children: the oldest of those that name it, by creation time, then by
 * name, so that the result is the same for all. A BMC that is being deleted holds it until it is gone.
 */
export function holderOf(claimants: readonly VirtualMachineBMC[]): VirtualMachineBMC | undefined {
  return claimants.toSorted(byAge)[0];
}

/** Whether this BMC holds the virtual machine that it names. */
export function isHolder(bmc: VirtualMachineBMC, claimants: readonly VirtualMachineBMC[]): boolean {
  return (holderOf(claimants) ?? bmc).metadata.uid === bmc.metadata.uid;
}

/** A second BMC of a virtual machine has neither agent nor address. VirtualMachineAvailable has the full message. */
export const isSecond: Check = ({ bmc, claimants }) => {
  if (isHolder(bmc, claimants)) return undefined;
  const vm = bmc.spec.virtualMachineRef.name;
  const first = holderOf(claimants)?.metadata.name ?? '';
  return holdsNot(
    REASONS.virtualMachineTaken,
    `VirtualMachine ${vm} has a BMC already: VirtualMachineBMC ${first}, which is older. ` +
      `Delete this one, or let it wait: it takes over when ${first} is deleted.`,
  );
};

/** The short form for the other conditions, which refers to VirtualMachineAvailable. */
export const isSecondElsewhere: Check = (inputs) => {
  const result = isSecond(inputs);
  return result === undefined ? undefined : { ...result, message: 'See VirtualMachineAvailable.' };
};
