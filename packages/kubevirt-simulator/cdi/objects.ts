import type { Kind, KubeObject } from '@groundcrew/controller-runtime';

/*
 * CDI's own view of its objects, as far as the stand-in reads and writes them; kept apart from what Groundcrew knows
 * of them as a client, so that one misreading cannot hide in both.
 * containerized-data-importer-api `pkg/apis/core/v1beta1/types.go`, v1.64.0 and what 1.65 and 1.66 add.
 */

export interface DataVolume extends KubeObject {
  spec: DataVolumeSpec;
  status?: DataVolumeStatus;
}

export interface DataVolumeSpec {
  source?: DataVolumeSource;
  sourceRef?: { kind?: string; name?: string; namespace?: string };
  /** The claim as it is to be; nothing is added to its size. */
  pvc?: ClaimSpec;
  /** What the claim has to hold; CDI adds the filesystem's overhead and what the storage profile knows. */
  storage?: ClaimSpec;
  contentType?: 'kubevirt' | 'archive';
  priorityClassName?: string;
  preallocation?: boolean;
}

/** Exactly one of them is set. */
export interface DataVolumeSource {
  http?: HttpSource;
  blank?: object;
  upload?: object;
  registry?: object;
  s3?: { url?: string };
  gcs?: { url?: string };
  imageio?: { url?: string };
  vddk?: { url?: string };
  pvc?: { namespace?: string; name?: string };
  snapshot?: { namespace?: string; name?: string };
}

export interface HttpSource {
  url: string;
  /** A Secret with `accessKeyId` and `secretKey`: user name and password. */
  secretRef?: string;
  /** A ConfigMap whose values are certificates of authorities, PEM. */
  certConfigMap?: string;
  /** Lines of a header: `X-Token: abc`. */
  extraHeaders?: string[];
  /** Secrets whose values are such lines. */
  secretExtraHeaders?: string[];
  /** `sha256:<hex>`; since 1.65. */
  checksum?: string;
  /** Since 1.66. */
  insecureSkipVerify?: boolean;
}

export interface ClaimSpec {
  accessModes?: string[];
  volumeMode?: string;
  storageClassName?: string;
  volumeName?: string;
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
  dataSource?: unknown;
  dataSourceRef?: unknown;
}

export interface DataVolumeStatus {
  claimName?: string;
  phase?: DataVolumePhase;
  /** `42.00%`, or `N/A`. */
  progress?: string;
  restartCount?: number;
  conditions?: DataVolumeCondition[];
}

export type DataVolumePhase =
  | 'Pending'
  | 'PVCBound'
  | 'WaitForFirstConsumer'
  | 'ImportScheduled'
  | 'ImportInProgress'
  | 'Succeeded'
  | 'Failed'
  | 'Unknown';

export interface DataVolumeCondition {
  type: 'Ready' | 'Bound' | 'Running';
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
  lastHeartbeatTime?: string;
}

/** The one object `config`: what CDI's operator and controllers agree on. */
export interface CdiConfig extends KubeObject {
  spec?: {
    filesystemOverhead?: FilesystemOverhead;
    /** URLs that may be imported from although their addresses are internal (CDI pull request 4116). */
    allowedSourceURLs?: string[];
  };
  status?: { filesystemOverhead?: FilesystemOverhead; scratchSpaceStorageClass?: string; preallocation?: boolean };
}

/** Shares of a filesystem volume that its filesystem needs: `"0.055"`. */
export interface FilesystemOverhead {
  global?: string;
  storageClass?: Record<string, string>;
}

/** What CDI knows of the volumes of a StorageClass; it has the same name. */
export interface StorageProfile extends KubeObject {
  spec?: { claimPropertySets?: ClaimProperties[] };
  status?: { storageClass?: string; provisioner?: string; claimPropertySets?: ClaimProperties[] };
}

export interface ClaimProperties {
  accessModes: string[];
  volumeMode: string;
}

/** A core/v1 PersistentVolumeClaim. */
export interface Claim extends KubeObject {
  spec?: ClaimSpec;
  status?: { phase?: 'Pending' | 'Bound' | 'Lost'; accessModes?: string[]; capacity?: Record<string, string> };
}

export interface StorageClass extends KubeObject {
  provisioner: string;
  reclaimPolicy?: string;
  volumeBindingMode?: 'Immediate' | 'WaitForFirstConsumer';
}

const CDI = { group: 'cdi.kubevirt.io', version: 'v1beta1' } as const;

export const DATA_VOLUMES: Kind<DataVolume> = {
  ...CDI,
  kind: 'DataVolume',
  plural: 'datavolumes',
  namespaced: true,
};
export const CDI_CONFIGS: Kind<CdiConfig> = { ...CDI, kind: 'CDIConfig', plural: 'cdiconfigs', namespaced: false };
export const STORAGE_PROFILES: Kind<StorageProfile> = {
  ...CDI,
  kind: 'StorageProfile',
  plural: 'storageprofiles',
  namespaced: false,
};
export const CLAIMS: Kind<Claim> = {
  group: '',
  version: 'v1',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  namespaced: true,
};
export const STORAGE_CLASSES: Kind<StorageClass> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'StorageClass',
  plural: 'storageclasses',
  namespaced: false,
};

/** The name of the one CDIConfig. */
export const CONFIG_NAME = 'config';
