import {
  CachedWatch,
  source,
  type Cache,
  type Clock,
  type KubeClient,
  type KubeObject,
  type Logger,
  type ObjectRef,
  type Source,
} from '@groundcrew/controller-runtime';
import { CLAIMS, DATA_VOLUMES, type Claim, type DataVolume } from '../cdi/index.ts';
import type { VirtualMachine, VirtualMachineInstance, Volume } from '../kubevirt/objects.ts';

/** Claims and DataVolumes of the cluster. */
export interface Volumes {
  claim(ref: ObjectRef): Claim | undefined;
  dataVolume(ref: ObjectRef): DataVolume | undefined;
}

export interface StorageOptions {
  client: KubeClient;
  clock: Clock;
  logger: Logger;
}

/** The cluster's claims and, with CDI, its DataVolumes. */
export class Storage implements Volumes {
  readonly #claims: CachedWatch<Claim>;
  readonly #dataVolumes: CachedWatch<DataVolume>;

  constructor(options: StorageOptions) {
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

  /** Triggers a reconcile of the VMs and instances that use a changed claim or DataVolume. */
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
}

function uses(volumes: VirtualMachineInstance['spec']['volumes'], claim: string): boolean {
  return volumes?.some((volume) => claimNameOf(volume) === claim) === true;
}

/** The claim that a volume is: that of its DataVolume has the same name. Undefined: it is something else. */
export function claimNameOf(volume: Volume): string | undefined {
  return textAt(volume['dataVolume'], 'name') ?? textAt(volume['persistentVolumeClaim'], 'claimName');
}

/** Its disk may come and go while the guest runs (`IsDeclarativeHotplugVolume`). */
export function isHotpluggable(volume: Volume): boolean {
  return [volume['dataVolume'], volume['persistentVolumeClaim']].some(
    (source) => isObject(source) && source['hotpluggable'] === true,
  );
}

function textAt(source: unknown, field: string): string | undefined {
  const value = isObject(source) ? source[field] : undefined;
  return typeof value === 'string' ? value : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
