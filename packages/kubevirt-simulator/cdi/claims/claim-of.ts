import type { Draft } from '@groundcrew/controller-runtime';
import { ANNOTATIONS } from '../annotations.ts';
import type { CdiConfig, Claim, ClaimSpec, DataVolume, StorageProfile } from '../objects.ts';
import { bytesOf } from '../quantity.ts';
import { overheadOf, requiredSpace } from './filesystem-space.ts';

/** What a DataVolume's claim depends on beside the DataVolume. */
export interface StorageView {
  /** The cluster's default, by the annotation on it. */
  defaultClass: string | undefined;
  profiles: ReadonlyMap<string, StorageProfile>;
  config: CdiConfig | undefined;
}

/** A claim to create, or why there can be none yet. */
export type ClaimPlan = { claim: Draft<Claim> } | { problem: string };

/** The claim of a DataVolume: of its name, owned by it, and with all that the importer has to know in its annotations. */
export function claimOf(dv: DataVolume, storage: StorageView): ClaimPlan {
  const spec = dv.spec.storage === undefined ? { ...dv.spec.pvc } : withProfile(dv.spec.storage, storage);
  if ('problem' in spec) return spec;
  const { name, namespace, uid = '', labels, annotations } = dv.metadata;
  return {
    claim: {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: {
        name,
        ...(namespace === undefined ? {} : { namespace }),
        labels: {
          app: 'containerized-data-importer',
          ...(spec.volumeMode === 'Block' ? {} : { 'alerts.k8s.io/KubePersistentVolumeFillingUp': 'disabled' }),
          ...labels,
        },
        annotations: { ...withoutKubectl(annotations), ...importAnnotations(dv) },
        ownerReferences: [
          {
            apiVersion: 'cdi.kubevirt.io/v1beta1',
            kind: 'DataVolume',
            name,
            uid,
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec,
    },
  };
}

/** `spec.storage` with what it leaves open filled in, and room for the filesystem added to its size. */
function withProfile(wanted: ClaimSpec, storage: StorageView): ClaimSpec | { problem: string } {
  const storageClassName = wanted.storageClassName ?? storage.defaultClass;
  const profile = storageClassName === undefined ? undefined : storage.profiles.get(storageClassName);
  const sets = profile?.status?.claimPropertySets ?? [];
  const set = sets.find(({ volumeMode }) => wanted.volumeMode === undefined || volumeMode === wanted.volumeMode);
  const accessModes = nonEmpty(wanted.accessModes) ?? nonEmpty(set?.accessModes);
  if (accessModes === undefined) {
    const problem =
      storageClassName === undefined
        ? 'DataVolume.storage spec is missing accessMode and no storageClass to choose profile'
        : `no accessMode specified in StorageProfile ${storageClassName}`;
    return { problem };
  }
  const volumeMode = wanted.volumeMode ?? set?.volumeMode ?? 'Filesystem';
  const bytes = bytesOf(wanted.resources?.requests?.['storage'] ?? '') ?? 0;
  const overhead = overheadOf(storage.config, storageClassName, volumeMode);
  const size = overhead === 0 ? bytes : requiredSpace(bytes, overhead);
  return {
    ...wanted,
    accessModes: [...accessModes],
    volumeMode,
    ...(storageClassName === undefined ? {} : { storageClassName }),
    resources: { ...wanted.resources, requests: { ...wanted.resources?.requests, storage: String(size) } },
  };
}

function importAnnotations(dv: DataVolume): Record<string, string> {
  const { source = {}, contentType = 'kubevirt', preallocation = false, priorityClassName } = dv.spec;
  const { http } = source;
  return {
    [ANNOTATIONS.restarts]: '0',
    [ANNOTATIONS.contentType]: contentType,
    [ANNOTATIONS.preallocation]: String(preallocation),
    ...(priorityClassName === undefined ? {} : { [ANNOTATIONS.priorityClass]: priorityClassName }),
    ...(http === undefined
      ? { [ANNOTATIONS.source]: 'none' }
      : {
          [ANNOTATIONS.source]: 'http',
          [ANNOTATIONS.endpoint]: http.url,
          ...(http.secretRef === undefined ? {} : { [ANNOTATIONS.secret]: http.secretRef }),
          ...(http.certConfigMap === undefined ? {} : { [ANNOTATIONS.certificates]: http.certConfigMap }),
        }),
  };
}

/** kubectl's record of what was applied is the DataVolume's, and would make the claim look applied. */
function withoutKubectl(annotations: Record<string, string> = {}): Record<string, string> {
  const { 'kubectl.kubernetes.io/last-applied-configuration': _applied, ...rest } = annotations;
  return rest;
}

function nonEmpty(modes: readonly string[] | undefined): readonly string[] | undefined {
  return modes === undefined || modes.length === 0 ? undefined : modes;
}
