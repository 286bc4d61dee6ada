import { kindOf, type KubeObject } from './object.ts';

/** The part of CDI's DataVolume (cdi.kubevirt.io/v1beta1) that Groundcrew reads or writes: the import of an image into a claim of the same name. */
export interface DataVolume extends KubeObject {
  spec: DataVolumeSpec;
  status?: DataVolumeStatus;
}

export interface DataVolumeSpec {
  source?: { http?: DataVolumeHttpSource };
  /** Size of the content; CDI adds the overhead of the filesystem. */
  storage?: {
    storageClassName?: string;
    volumeMode?: 'Filesystem' | 'Block';
    resources: { requests: { storage: string } };
  };
  contentType?: 'kubevirt' | 'archive';
}

export interface DataVolumeHttpSource {
  url: string;
  /** A Secret with `accessKeyId` and `secretKey`: user name and password. */
  secretRef?: string;
  /** A ConfigMap whose values are certificates of authorities. */
  certConfigMap?: string;
  /** Since CDI 1.66. */
  insecureSkipVerify?: boolean;
}

export interface DataVolumeStatus {
  /** `Succeeded` and `Failed` are final. */
  phase?: string;
  /** `42.00%`, or `N/A`. */
  progress?: string;
  /** Number of failed attempts. */
  restartCount?: number;
  conditions?: DataVolumeCondition[];
}

export interface DataVolumeCondition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
}

export const DATA_VOLUMES = kindOf<DataVolume>('cdi.kubevirt.io/v1beta1', 'DataVolume');
