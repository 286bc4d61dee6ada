import {
  CUSTOM_RESOURCE_DEFINITIONS,
  type Kind,
  type KubeClient,
  type KubeObject,
} from '@groundcrew/controller-runtime';
import { definition, OPEN } from '../kubevirt/definition.ts';

/*
 * CDI's objects, as far as the simulator uses them (containerized-data-importer-api `pkg/apis/core/v1beta1/types.go`,
 * v1.66). Groundcrew has its own types, so that a mistake in one place is found.
 */

export interface DataVolume extends KubeObject {
  spec: DataVolumeSpec;
  status?: DataVolumeStatus;
}

export interface DataVolumeSpec {
  /** Exactly one source is set. */
  source?: { http?: HttpSource; blank?: object } & Record<string, unknown>;
  /** The spec of the claim. */
  pvc?: ClaimSpec;
  /** Like `pvc`, with defaults for the access mode and the volume mode. */
  storage?: ClaimSpec;
  contentType?: string;
}

export interface HttpSource {
  url: string;
  /** A Secret with `accessKeyId` (user name) and `secretKey` (password). */
  secretRef?: string;
  /** A ConfigMap with PEM certificates of CAs. */
  certConfigMap?: string;
  insecureSkipVerify?: boolean;
}

export interface ClaimSpec {
  accessModes?: string[];
  volumeMode?: string;
  storageClassName?: string;
  volumeName?: string;
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
}

export interface DataVolumeStatus {
  claimName?: string;
  phase?: 'Pending' | 'PVCBound' | 'ImportScheduled' | 'ImportInProgress' | 'Succeeded' | 'Failed';
  /** `42.00%`, or `N/A`. */
  progress?: string;
  restartCount?: number;
  conditions?: DataVolumeCondition[];
}

export interface DataVolumeCondition {
  type: 'Ready' | 'Bound' | 'Running';
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
  lastHeartbeatTime?: string;
}

/** A core/v1 PersistentVolumeClaim. */
export interface Claim extends KubeObject {
  spec?: ClaimSpec;
  status?: { phase?: 'Pending' | 'Bound' | 'Lost'; accessModes?: string[]; capacity?: Record<string, string> };
}

export const DATA_VOLUMES: Kind<DataVolume> = {
  group: 'cdi.kubevirt.io',
  version: 'v1beta1',
  kind: 'DataVolume',
  plural: 'datavolumes',
  namespaced: true,
};

export const CLAIMS: Kind<Claim> = {
  group: '',
  version: 'v1',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  namespaced: true,
};

/** The only StorageClass whose claims are bound, and the default one. */
export const STORAGE_CLASS = 'sandbox';
export const PROVISIONER = 'storage.sandbox.kubevirt.io';

const STORAGE_CLASSES: Kind<KubeObject & { provisioner: string; reclaimPolicy: string; volumeBindingMode: string }> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'StorageClass',
  plural: 'storageclasses',
  namespaced: false,
};

/** Registers the kind DataVolume, and creates the default StorageClass. */
export async function registerCdi(client: KubeClient): Promise<void> {
  await Promise.all([
    client.apply(CUSTOM_RESOURCE_DEFINITIONS, DATA_VOLUME_DEFINITION, { force: true }),
    client.apply(
      STORAGE_CLASSES,
      {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name: STORAGE_CLASS, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
        provisioner: PROVISIONER,
        reclaimPolicy: 'Delete',
        volumeBindingMode: 'Immediate',
      },
      { force: true },
    ),
  ]);
}

const DATA_VOLUME_DEFINITION = definition({
  group: 'cdi.kubevirt.io',
  version: 'v1beta1',
  kind: 'DataVolume',
  plural: 'datavolumes',
  scope: 'Namespaced',
  shortNames: ['dv', 'dvs'],
  categories: ['all'],
  description: 'DataVolume is a PersistentVolumeClaim that is filled from a source',
  columns: [
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'Progress', type: 'string', jsonPath: '.status.progress' },
    { name: 'Restarts', type: 'integer', jsonPath: '.status.restartCount' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  status: OPEN,
  statusSubresource: true,
});
