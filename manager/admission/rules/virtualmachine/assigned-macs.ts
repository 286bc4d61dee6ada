import type { JsonPatchOp, VirtualMachine } from '../../../../api/index.ts';
import { harvesterMacs, macFor, managedInterfaces } from '../../../virtualmachine/index.ts';

export interface VirtualMachineInputs {
  /** Networks (`namespace/name`) that have a pool. */
  managedNetworks: ReadonlySet<string>;
  clusterUid: string;
}

/**
 * MAC addresses for a new VM: one for each interface on a pool's network that has none, so that its lease exists before
 * the first boot. A MAC address that Harvester keeps for an interface is left to Harvester.
 */
export function assignedMacs(vm: VirtualMachine, { managedNetworks, clusterUid }: VirtualMachineInputs): JsonPatchOp[] {
  const { name: vmName, namespace = '' } = vm.metadata;
  // A generated name (generateName) is not known yet; the controller assigns the MAC addresses of such a VM.
  if (vmName === '') return [];
  const noted = harvesterMacs(vm);
  const interfaces = vm.spec.template.spec.domain.devices.interfaces ?? [];
  return managedInterfaces(vm, managedNetworks)
    .filter(({ name, index }) => (interfaces[index]?.macAddress ?? '') === '' && noted[name] === undefined)
    .map(({ name, index }) => ({
      op: 'add',
      path: `/spec/template/spec/domain/devices/interfaces/${index}/macAddress`,
      value: macFor({ clusterUid, namespace, vmName, interfaceName: name }),
    }));
}
