import {
  agentLabels,
  DATA_VOLUMES,
  type DataVolume,
  mediaSecretName,
  type MediaSlot,
  type MediaStatus,
  VIRTUAL_MACHINE_BMCS,
  type VirtualMachineBMC,
} from '../../../../api/index.ts';
import { apiVersionOf, type Draft, type Secret } from '@groundcrew/controller-runtime';
import type { ObjectWatch, ObjectWatches } from '../../objects/named-watches.ts';
import type { ImageOrder } from './image-url.ts';
import { INSERTION_ANNOTATION } from './media-drive.ts';

/** Watches the DataVolume of an insertion while it is needed: most BMCs have none most of the time. */
export class FollowedVolume {
  readonly #watches: ObjectWatches;
  readonly #onChange: () => void;
  #watch: { name: string; volume: ObjectWatch<DataVolume> } | undefined;

  constructor(watches: ObjectWatches, onChange: () => void) {
    this.#watches = watches;
    this.#onChange = onChange;
  }

  /** Whether the watch has started. */
  get hasSettled(): boolean {
    return this.#watch?.volume.hasSettled === true;
  }

  get object(): DataVolume | undefined {
    return this.#watch?.volume.object;
  }

  /** @param entry the current status of the drive */
  follow({ phase, volume: name }: Partial<MediaStatus> = {}): void {
    const matters = phase !== undefined && phase !== 'Ejected' && phase !== 'Failed';
    if (this.#watch?.name === name && matters) return;
    this.stop();
    if (matters && name !== undefined) {
      this.#watch = { name, volume: this.#watches.watch(DATA_VOLUMES, name, this.#onChange) };
    }
  }

  stop(): void {
    this.#watch?.volume.stop();
    this.#watch = undefined;
  }
}

/** The DataVolume that imports an image. It is deleted with its BMC. @param url with its query */
export function dataVolumeOf(
  bmc: VirtualMachineBMC,
  slot: MediaSlot,
  entry: MediaStatus,
  url = entry.image ?? '',
): Draft<DataVolume> {
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
        // A storage class with WaitForFirstConsumer would wait for a machine that waits for the image.
        'cdi.kubevirt.io/storage.bind.immediate.requested': 'true',
        // Older versions of CDI delete DataVolumes that are done.
        'cdi.kubevirt.io/storage.deleteAfterCompletion': 'false',
      },
    },
    spec: {
      contentType: 'kubevirt',
      source: {
        http: {
          url,
          ...(entry.userName === undefined ? {} : { secretRef: mediaSecretName(bmc.metadata.name, slot) }),
          ...(ca === undefined ? {} : { certConfigMap: ca }),
          ...(tls?.insecureSkipVerify === true ? { insecureSkipVerify: true } : {}),
        },
      },
      // For `storage`, but not for `pvc`, CDI adds the overhead of a filesystem.
      storage: {
        ...(storageClassName === undefined ? {} : { storageClassName }),
        ...(volumeMode === undefined ? {} : { volumeMode }),
        resources: { requests: { storage: entry.size ?? '' } },
      },
    },
  };
}

/** The credentials for the image server, with the keys that CDI reads, and a URL that has a query. */
export function loginSecretOf(bmc: VirtualMachineBMC, slot: MediaSlot, order?: ImageOrder): Draft<Secret> {
  const { login, url } = order ?? {};
  const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: ownedMetadata(bmc, mediaSecretName(bmc.metadata.name, slot)),
    data: {
      ...(login === undefined ? {} : { accessKeyId: base64(login.userName), secretKey: base64(login.password) }),
      ...(url === undefined || url.search === '' ? {} : { url: base64(url.href) }),
    },
  };
}

const MEBIBYTE = 1024 * 1024;

/** The size of the volume for an image: bytes as a quantity in whole MiB. */
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
