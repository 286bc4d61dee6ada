import {
  CUSTOM_RESOURCE_DEFINITIONS,
  type Kind,
  type KubeClient,
  type KubeObject,
} from '@groundcrew/controller-runtime';
import { definition, OPEN } from '../kubevirt/definition.ts';
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
