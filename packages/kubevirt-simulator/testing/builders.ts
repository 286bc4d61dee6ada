import type { KubeObject, Pod } from '@groundcrew/controller-runtime';
import type { Volumes } from '../hotplug/index.ts';
import {
  VM_FINALIZER,
  type Disk,
  type InstancePhase,
  type InstanceSpec,
  type InstanceStatus,
  type Interface,
  type VirtualMachine,
  type VirtualMachineInstance,
  type VirtualMachineSpec,
  type VirtualMachineStatus,
} from '../kubevirt/objects.ts';

/** A template with one disk and one interface on the pod network. */
export function aTemplate(change: { disk?: Partial<Disk>; interface?: Partial<Interface> } = {}): {
  spec: InstanceSpec;
} {
  return {
    spec: {
      domain: {
        devices: {
          disks: [{ name: 'root', disk: { bus: 'virtio' }, ...change.disk }],
          interfaces: [{ name: 'default', masquerade: {}, ...change.interface }],
        },
        memory: { guest: '1Gi' },
        firmware: { uuid: '0e1d448d-d0d4-4c9b-999d-12bcb1a19e86', serial: 'ff1d7a46-c781-4a43-aec8-a82f20de02db' },
      },
      networks: [{ name: 'default', pod: {} }],
      volumes: [{ name: 'root', containerDisk: { image: 'example.invalid/d' } }],
    },
  };
}

/** A VM that the controller has seen before. */
export function aVm(spec: Partial<VirtualMachineSpec> = {}, status?: VirtualMachineStatus): VirtualMachine {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: 'm', namespace: 'vms', uid: 'vm-uid', generation: 1, finalizers: [VM_FINALIZER] },
    spec: { runStrategy: 'Manual', template: aTemplate(), ...spec },
    ...(status === undefined ? {} : { status }),
  };
}

/** The instance of `aVm` in a phase. */
export function aVmi(phase?: InstancePhase, status: InstanceStatus = {}): VirtualMachineInstance {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name: 'm', namespace: 'vms', uid: 'vmi-uid', annotations: { 'kubevirt.io/vm-generation': '1' } },
    spec: aTemplate().spec,
    ...(phase === undefined ? {} : { status: { phase, ...status } }),
  };
}

/** The virt-launcher pod of `aVmi` on node01. */
export function aPod(phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed' = 'Running'): Pod {
  const conditions = phase === 'Running' ? [{ type: 'Ready', status: 'True' }] : [];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'virt-launcher-m-x7k2p', namespace: 'vms', uid: 'pod-uid' },
    spec: {
      nodeName: 'node01',
      containers: [],
      readinessGates: [{ conditionType: 'kubevirt.io/virtual-machine-unpaused' }],
    },
    status: { phase, conditions },
  };
}

/** A cluster without claims. */
export const noVolumes: Volumes = { claim: () => undefined, dataVolume: () => undefined };

/** The object during its deletion. */
export function deleted<T extends KubeObject>(object: T): T {
  return { ...object, metadata: { ...object.metadata, deletionTimestamp: '2026-11-21T01:37:16Z' } };
}
