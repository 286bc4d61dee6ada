import {
  agentLabels,
  mediaSecretName,
  VIRTUAL_MACHINE_BMCS,
  type DataVolume,
  type MediaStatus,
  type VirtualMachineBMC,
} from '../../../api/index.ts';
import { apiVersionOf, type Draft, type Secret } from '@groundcrew/controller-runtime';
import { INSERTION_ANNOTATION } from './media-view.ts';

/** The volume for an image, and the order to import it. It is deleted with its BMC, by whoever deletes that. */
export function dataVolumeOf(bmc: VirtualMachineBMC, entry: MediaStatus): Draft<DataVolume> {
  const { storage = {}, tls } = bmc.spec.redfish?.virtualMedia ?? {};
  const { storageClassName, volumeMode } = storage;
  const ca = tls?.caBundleConfigMapRef?.name;
  return {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: {
      ...ownedMetadata(bmc, entry.volume ?? ''),
      annotations: {
        [INSERTION_ANNOTATION]: entry.id ?? '',
        // A class that waits for a first consumer would wait until a machine boots from what is not there.
        'cdi.kubevirt.io/storage.bind.immediate.requested': 'true',
        // Older versions of CDI clear DataVolumes away that are done.
        'cdi.kubevirt.io/storage.deleteAfterCompletion': 'false',
      },
    },
    spec: {
      contentType: 'kubevirt',
      source: {
        http: {
          url: entry.image ?? '',
          ...(entry.userName === undefined ? {} : { secretRef: mediaSecretName(bmc.metadata.name) }),
          ...(ca === undefined ? {} : { certConfigMap: ca }),
          ...(tls?.insecureSkipVerify === true ? { insecureSkipVerify: true } : {}),
        },
      },
      // Of `storage`, and not of `pvc`, CDI adds what a filesystem needs beside the image.
      storage: {
        ...(storageClassName === undefined ? {} : { storageClassName }),
        ...(volumeMode === undefined ? {} : { volumeMode }),
        resources: { requests: { storage: entry.size ?? '' } },
      },
    },
  };
}

/** What the image server wants to know, under the keys that CDI reads. */
export function loginSecretOf(bmc: VirtualMachineBMC, userName: string, password: string): Draft<Secret> {
  const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: ownedMetadata(bmc, mediaSecretName(bmc.metadata.name)),
    data: { accessKeyId: base64(userName), secretKey: base64(password) },
  };
}

const MEBIBYTE = 1024 * 1024;

/** Room for an image of so many bytes, as a quantity in whole MiB. */
export function roomFor(bytes: number): string {
  return `${Math.max(1, Math.ceil(bytes / MEBIBYTE))}Mi`;
}

function ownedMetadata(bmc: VirtualMachineBMC, name: string) {
  const { namespace = '', uid = '' } = bmc.metadata;
  const owner = { apiVersion: apiVersionOf(VIRTUAL_MACHINE_BMCS), kind: VIRTUAL_MACHINE_BMCS.kind };
  return {
    namespace,
    name,
    labels: agentLabels(bmc.metadata.name, bmc.spec.virtualMachineRef.name),
    ownerReferences: [{ ...owner, name: bmc.metadata.name, uid, controller: true }],
  };
}
