import { LABELS, type VirtualMachine, type VirtualMachineNetworkConfig } from '../../../api/index.ts';

/** Label of a VM's configs in vm-dhcp-controller. */
export const VM_NAME_LABEL = 'harvesterhci.io/vmName';

/**
 * Ownership of a config that concerns a virtual machine. `Ours`: created by the manager for it, or by
 * vm-dhcp-controller, which is replaced. `Left`: created for an earlier VM of the same name. `Theirs`: created by a
 * user; never changed.
 */
export type Standing = 'Ours' | 'Left' | 'Theirs';

export function standingOf({ metadata }: VirtualMachineNetworkConfig, vm: VirtualMachine): Standing {
  const { labels = {}, ownerReferences = [] } = metadata;
  const isMade = labels[LABELS.managedBy] === 'groundcrew' || labels[VM_NAME_LABEL] !== undefined;
  if (!isMade) return 'Theirs';
  const owners = ownerReferences.filter(({ kind }) => kind === 'VirtualMachine');
  if (owners.some(({ uid }) => uid === vm.metadata.uid)) return 'Ours';
  if (owners.length > 0) return 'Left';
  // No owner: the VM was deleted with `--cascade=orphan`.
  return labels[LABELS.managedBy] === 'groundcrew' && ownerReferences.length === 0 ? 'Ours' : 'Theirs';
}
