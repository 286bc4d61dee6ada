import type { KubeObject, Pod } from '@groundcrew/controller-runtime';
import type { Claim, DataVolume, DataVolumeCondition } from '../cdi/index.ts';
import { Guest, machineOf, silentNetwork, type GuestOptions } from '../guest/index.ts';
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
  type Volume,
  type VolumeStatus,
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

export const DRIVE: Disk = { name: 'cd', cdrom: { bus: 'sata' } };

/** A hot-pluggable medium in the drive. */
export function medium(claimName: string): Volume {
  return { name: 'cd', persistentVolumeClaim: { claimName, hotpluggable: true } };
}

/** A VM with a CD-ROM drive. */
export function vmWith(volumes: Volume[], disks: Disk[] = [DRIVE]): VirtualMachine {
  return aVm({ template: { spec: specWith(volumes, disks) } });
}

/** Its running instance. */
export function vmiWith(
  volumes: Volume[],
  volumeStatus: VolumeStatus[] = [],
  disks: Disk[] = [DRIVE],
): VirtualMachineInstance {
  return { ...aVmi('Running', { volumeStatus }), spec: specWith(volumes, disks) };
}

function specWith(volumes: Volume[], disks: Disk[]) {
  const { spec } = aTemplate();
  const { devices, ...domain } = spec.domain;
  return {
    ...spec,
    domain: { ...domain, devices: { ...devices, disks: [...(devices?.disks ?? []), ...disks] } },
    volumes: [...(spec.volumes ?? []), ...volumes],
  };
}

export function aClaim(name: string, phase: 'Pending' | 'Bound' | 'Lost' = 'Bound', filledByCdi = false): Claim {
  const owner = { apiVersion: 'cdi.kubevirt.io/v1beta1', kind: 'DataVolume', name, uid: 'dv-uid', controller: true };
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: 'vms', ...(filledByCdi ? { ownerReferences: [owner] } : {}) },
    status: { phase },
  };
}

export function aDataVolume(
  name: string,
  phase: NonNullable<DataVolume['status']>['phase'],
  conditions: [DataVolumeCondition['type'], DataVolumeCondition['status'], reason?: string][] = [],
): DataVolume {
  return {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: { name, namespace: 'vms' },
    spec: {},
    status: {
      ...(phase === undefined ? {} : { phase }),
      conditions: conditions.map(([type, status, reason]) => ({
        type,
        status,
        ...(reason === undefined ? {} : { reason }),
      })),
    },
  };
}

/** A cluster with only these. */
export function volumesOf({
  claims = [],
  dataVolumes = [],
}: {
  claims?: Claim[];
  dataVolumes?: DataVolume[];
}): Volumes {
  return {
    claim: ({ name }) => claims.find(({ metadata }) => metadata.name === name),
    dataVolume: ({ name }) => dataVolumes.find(({ metadata }) => metadata.name === name),
  };
}

/** Milliseconds of the boot and the shutdown of guests in tests. */
export const BOOT_TIME = 1000;
export const SHUTDOWN_TIME = 100;

/** A guest of the instance, powered on at 0. */
export function aGuest(vmi: VirtualMachineInstance, options: Partial<GuestOptions> = {}): Guest {
  const machine = machineOf(vmi);
  return new Guest(
    { machine, network: silentNetwork, bootTime: BOOT_TIME, shutdownTime: SHUTDOWN_TIME, ...options },
    0,
  );
}

/** What a guest writes from power on to the login prompt, or until nothing more can be booted. */
export function bootLog(vmi: VirtualMachineInstance, options: Partial<GuestOptions> = {}): string {
  return aGuest(vmi, options).read(BOOT_TIME).text;
}
