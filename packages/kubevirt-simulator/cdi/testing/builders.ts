import type { Claim, DataVolume, DataVolumeSpec, StorageClass } from '../objects.ts';

/** A DataVolume that imports an ISO image of a GiB. */
export function aDataVolume(spec: DataVolumeSpec = {}, status?: DataVolume['status']): DataVolume {
  return {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: { name: 'iso', namespace: 'vms', uid: 'dv-uid' },
    spec: {
      source: { http: { url: 'http://files.example/a.iso' } },
      ...(spec.pvc === undefined ? { storage: { resources: { requests: { storage: '1Gi' } } } } : {}),
      ...spec,
    },
    ...(status === undefined ? {} : { status }),
  };
}

/** Its claim. */
export function aClaim(
  phase: 'Pending' | 'Bound' | 'Lost' = 'Bound',
  change: { annotations?: Record<string, string>; finalizers?: string[]; deletionTimestamp?: string } = {},
  spec: Claim['spec'] = {},
): Claim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'iso', namespace: 'vms', uid: 'claim-uid', ...change },
    spec: { accessModes: ['ReadWriteMany'], storageClassName: 'sandbox', ...spec },
    status: { phase },
  };
}

export function aStorageClass(name = 'sandbox', change: Partial<StorageClass> = {}): StorageClass {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name },
    provisioner: 'storage.sandbox.kubevirt.io',
    volumeBindingMode: 'Immediate',
    ...change,
  };
}
