import type { Draft } from '@groundcrew/controller-runtime';
import { DEFAULT_ARCHITECTURE } from '../kubevirt/defaults.ts';
import {
  INSTANCE_FINALIZER,
  VM_FINALIZER,
  type InstanceTemplate,
  type VirtualMachine,
  type VirtualMachineInstance,
} from '../kubevirt/objects.ts';

/** The instance that starting a VM creates: its template as it is now, owned by the VM (`SetupVMIFromVM`). */
export function instanceOf(vm: VirtualMachine, template: InstanceTemplate): Draft<VirtualMachineInstance> {
  const paused = vm.status?.stateChangeRequests?.[0]?.data?.['paused'] === 'true';
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: {
      name: vm.metadata.name,
      ...(vm.metadata.namespace === undefined ? {} : { namespace: vm.metadata.namespace }),
      labels: { ...template.metadata?.labels },
      annotations: {
        ...template.metadata?.annotations,
        'kubevirt.io/vm-generation': String(vm.metadata.generation ?? 1),
      },
      finalizers: [VM_FINALIZER, INSTANCE_FINALIZER],
      ownerReferences: [
        {
          apiVersion: 'kubevirt.io/v1',
          kind: 'VirtualMachine',
          name: vm.metadata.name,
          uid: vm.metadata.uid ?? '',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      architecture: DEFAULT_ARCHITECTURE,
      ...structuredClone(template.spec),
      ...(paused ? { startStrategy: 'Paused' } : {}),
    },
  };
}
