import { LABELS, type VirtualMachine, type VirtualMachineNetworkConfig } from '../../../api/index.ts';

/** Label by which vm-dhcp-controller's users find the configs of a VM. */
export const VM_NAME_LABEL = 'harvesterhci.io/vmName';

/**
 * Whose a config is that concerns a virtual machine. `Ours`: made by the manager for it, or by vm-dhcp-controller, whose
 * place it takes. `Left`: made for a machine of the same name that is gone. `Theirs`: a person's, never to be touched.
 */
export type Standing = 'Ours' | 'Left' | 'Theirs';

export function standingOf({ metadata }: VirtualMachineNetworkConfig, vm: VirtualMachine): Standing {
  const { labels = {}, ownerReferences = [] } = metadata;
  const isMade = labels[LABELS.managedBy] === 'groundcrew' || labels[VM_NAME_LABEL] !== undefined;
  if (!isMade) return 'Theirs';
  const owners = ownerReferences.filter(({ kind }) => kind === 'VirtualMachine');
  if (owners.some(({ uid }) => uid === vm.metadata.uid)) return 'Ours';
  if (owners.length > 0) return 'Left';
  // Nobody's any more: its machine was deleted with `--cascade=orphan`.
  return labels[LABELS.managedBy] === 'groundcrew' && ownerReferences.length === 0 ? 'Ours' : 'Theirs';
}
