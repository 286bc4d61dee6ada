import {
  CUSTOM_RESOURCE_DEFINITIONS,
  type Kind,
  type KubeClient,
  type KubeObject,
} from '@groundcrew/controller-runtime';
import { definition, OPEN, type Schema } from '../kubevirt/definition.ts';
import { PROVISIONER, STORAGE_CLASS } from './objects.ts';

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

const text = (description: string): Schema => ({ type: 'string', description });

const HTTP: Schema = {
  ...OPEN,
  required: ['url'],
  properties: {
    url: text('URL of the image, http:// or https://.'),
    secretRef: text('A Secret with accessKeyId (user name) and secretKey (password).'),
    certConfigMap: text('A ConfigMap with the certificates of authorities, PEM.'),
    insecureSkipVerify: { type: 'boolean', description: "Do not verify the server's certificate." },
  },
};

const CLAIM: Schema = {
  ...OPEN,
  properties: {
    accessModes: { type: 'array', items: { type: 'string' }, description: 'Access modes of the claim.' },
    volumeMode: text('Block or Filesystem.'),
    storageClassName: text('The StorageClass of the claim.'),
    resources: {
      ...OPEN,
      properties: {
        requests: {
          type: 'object',
          additionalProperties: {
            anyOf: [{ type: 'integer' }, { type: 'string' }],
            'x-kubernetes-int-or-string': true,
          },
        },
      },
    },
  },
};

const SPEC: Schema = {
  ...OPEN,
  description: 'DataVolumeSpec defines the DataVolume type specification',
  properties: {
    source: { ...OPEN, description: 'Source of the data: http or blank.', properties: { http: HTTP, blank: OPEN } },
    pvc: { ...CLAIM, description: 'PVC is the PVC specification' },
    storage: { ...CLAIM, description: 'Storage is the requested storage specification' },
    contentType: text('kubevirt'),
  },
};

const STATUS: Schema = {
  ...OPEN,
  properties: {
    claimName: text('The claim that holds the data.'),
    phase: text('Pending, PVCBound, ImportScheduled, ImportInProgress or Succeeded.'),
    progress: text('Transferred share, in percent, or N/A.'),
    restartCount: { type: 'integer', format: 'int32', description: 'Number of attempts after the first.' },
    conditions: { type: 'array', items: { ...OPEN, required: ['type', 'status'] } },
  },
};

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
  spec: SPEC,
  status: STATUS,
  statusSubresource: true,
});
