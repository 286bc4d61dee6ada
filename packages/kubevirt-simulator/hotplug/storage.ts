import {
  CachedWatch,
  isNotFound,
  source,
  type Cache,
  type Clock,
  type Kind,
  type KubeClient,
  type KubeObject,
  type Logger,
  type ObjectRef,
  type Source,
} from '@groundcrew/controller-runtime';
import type { VirtualMachine, VirtualMachineInstance } from '../kubevirt/objects.ts';
import { claimNameOf } from './volumes.ts';

/** A PersistentVolumeClaim, as far as KubeVirt looks at it. */
export interface Claim extends KubeObject {
  spec?: { accessModes?: string[]; volumeMode?: string; resources?: { requests?: Record<string, string> } };
  status?: { phase?: string; capacity?: Record<string, string> };
}

/** CDI's DataVolume, as far as KubeVirt looks at it. */
export interface DataVolume extends KubeObject {
  spec?: unknown;
  status?: { phase?: string; conditions?: { type: string; status: string; reason?: string; message?: string }[] };
}

const CLAIMS: Kind<Claim> = {
  group: '',
  version: 'v1',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  namespaced: true,
};

export const DATA_VOLUMES: Kind<DataVolume> = {
  group: 'cdi.kubevirt.io',
  version: 'v1beta1',
  kind: 'DataVolume',
  plural: 'datavolumes',
  namespaced: true,
};

/** What is known of the volumes that instances use. */
export interface Volumes {
  claim(ref: ObjectRef): Claim | undefined;
  dataVolume(ref: ObjectRef): DataVolume | undefined;
}

export interface StorageOptions {
  client: KubeClient;
  clock: Clock;
  logger: Logger;
}

/** The cluster's claims and, where CDI is there, its DataVolumes. */
export class Storage implements Volumes {
  readonly #client: KubeClient;
  readonly #claims: CachedWatch<Claim>;
  readonly #dataVolumes: CachedWatch<DataVolume>;

  constructor(options: StorageOptions) {
    this.#client = options.client;
    this.#claims = new CachedWatch({ ...options, kind: CLAIMS });
    this.#dataVolumes = new CachedWatch({ ...options, kind: DATA_VOLUMES });
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#claims.run(signal), this.#dataVolumes.run(signal)]);
  }

  async synced(): Promise<void> {
    await Promise.all([this.#claims.synced(), this.#dataVolumes.settled()]);
  }

  claim(ref: ObjectRef): Claim | undefined {
    return this.#claims.get(ref);
  }

  dataVolume(ref: ObjectRef): DataVolume | undefined {
    return this.#dataVolumes.get(ref);
  }

  /** Makes a controller look at the VMs, and so at the instances, that use what has changed. */
  sources(virtualMachines: Cache<VirtualMachine>, instances: Cache<VirtualMachineInstance>): Source[] {
    const users = ({ metadata }: KubeObject): readonly ObjectRef[] => [
      ...virtualMachines
        .list(metadata.namespace)
        .filter(({ spec }) => uses(spec.template?.spec.volumes, metadata.name))
        .map((vm) => vm.metadata),
      ...instances
        .list(metadata.namespace)
        .filter(({ spec }) => uses(spec.volumes, metadata.name))
        .map((vmi) => vmi.metadata),
    ];
    return [source(this.#claims, users), source(this.#dataVolumes, users)];
  }

  /** As the scheduler does for the first pod that uses a claim: whoever makes the volume waits for it. */
  async place(claim: Claim, node: string): Promise<void> {
    const annotation = 'volume.kubernetes.io/selected-node';
    if (claim.metadata.annotations?.[annotation] !== undefined) return;
    await this.#client
      .patch(CLAIMS, claim.metadata, 'merge', { metadata: { annotations: { [annotation]: node } } })
      .catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
  }
}

function uses(volumes: VirtualMachineInstance['spec']['volumes'], claim: string): boolean {
  return volumes?.some((volume) => claimNameOf(volume) === claim) === true;
}
