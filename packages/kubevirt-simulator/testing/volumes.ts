import type { Claim, DataVolume, DataVolumeCondition } from '../cdi/index.ts';
import type { Volumes } from '../hotplug/storage.ts';
import type { Disk, VirtualMachine, VirtualMachineInstance, Volume, VolumeStatus } from '../kubevirt/objects.ts';
import { aTemplate, aVm, aVmi } from './builders.ts';

export const DRIVE: Disk = { name: 'cd', cdrom: { bus: 'sata' } };

/** What is in the drive: a claim that may be taken out again. */
export function medium(claimName: string): Volume {
  return { name: 'cd', persistentVolumeClaim: { claimName, hotpluggable: true } };
}

/** A VM with a CD-ROM drive. */
export function vmWith(volumes: Volume[], disks: Disk[] = [DRIVE]): VirtualMachine {
  return aVm({ template: { spec: specWith(volumes, disks) } });
}

/** Its instance, which runs. */
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

/** A cluster with these and no others. */
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
