import type { JsonPatchOp, VirtualMachine } from '../../../../api/index.ts';
import { harvesterMacs, macFor, managedInterfaces } from '../../../virtualmachine/index.ts';

export interface VirtualMachineInputs {
  /** Networks (`namespace/name`) that have a pool. */
  managedNetworks: ReadonlySet<string>;
  clusterUid: string;
}

/**
 * MAC addresses for a VM that is made: for each interface on a pool's network that has none, so that its lease is there
 * before it first boots. What Harvester noted for an interface is its own to write.
 */
export function assignedMacs(vm: VirtualMachine, { managedNetworks, clusterUid }: VirtualMachineInputs): JsonPatchOp[] {
  const { name: vmName, namespace = '' } = vm.metadata;
  // A name that the server makes up (generateName) is not there yet: the controller sees to such a machine.
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
