import {
  CachedWatch,
  type Clock,
  type Kind,
  type KubeClient,
  type KubeObject,
  type Logger,
} from '@groundcrew/controller-runtime';
import type { PodBinding } from '../kubevirt/defaults.ts';

/** KubeVirt's own configuration: one object, `kubevirt` in the namespace `kubevirt`. */
export interface KubeVirtResource extends KubeObject {
  spec?: {
    configuration?: {
      developerConfiguration?: { featureGates?: string[] };
      vmRolloutStrategy?: string;
      vmStateStorageClass?: string;
      network?: { defaultNetworkInterface?: string };
    };
  };
  status?: { phase?: string; observedKubeVirtVersion?: string; observedGeneration?: number };
}

export const KUBEVIRTS: Kind<KubeVirtResource> = {
  group: 'kubevirt.io',
  version: 'v1',
  kind: 'KubeVirt',
  plural: 'kubevirts',
  namespaced: true,
};

/** Media may be put into and taken out of a running VM by changing its template. Alpha in 1.8: off unless it is named. */
export const DECLARATIVE_HOTPLUG = 'DeclarativeHotplugVolumes';
/** The older way, by subresources, which shuts the newer one out. */
const HOTPLUG = 'HotplugVolumes';

export interface FeatureGatesOptions {
  client: KubeClient;
  clock: Clock;
  logger: Logger;
}

/** The feature gates that are open, as the KubeVirt object names them at this moment. */
export class FeatureGates {
  readonly #options: FeatureGatesOptions;
  readonly #configurations: CachedWatch<KubeVirtResource>;

  constructor(options: FeatureGatesOptions) {
    this.#options = options;
    this.#configurations = new CachedWatch({ ...options, kind: KUBEVIRTS });
  }

  /** Follows the KubeVirt object, and says in its status which generation of it counts. */
  async run(signal: AbortSignal): Promise<void> {
    const unsubscribe = this.#configurations.subscribe(({ type, object }) => {
      if (type !== 'deleted') this.#acknowledge(object, signal);
    });
    await this.#configurations.run(signal).finally(unsubscribe);
  }

  synced(): Promise<void> {
    return this.#configurations.synced();
  }

  /** Calls `listener` when gates may have been opened or closed. */
  subscribe(listener: () => void): () => void {
    return this.#configurations.subscribe(listener);
  }

  isOpen(gate: string): boolean {
    const [configuration] = this.#configurations.list();
    const named = configuration?.spec?.configuration?.developerConfiguration?.featureGates ?? [];
    return named.includes(gate);
  }

  /** Whether virt-controller carries changes of hot-pluggable volumes over to running instances. */
  get carriesVolumesOver(): boolean {
    return this.isOpen(DECLARATIVE_HOTPLUG) && !this.isOpen(HOTPLUG);
  }

  get podBinding(): PodBinding {
    const [configuration] = this.#configurations.list();
    const named = configuration?.spec?.configuration?.network?.defaultNetworkInterface;
    return named === 'masquerade' ? named : 'bridge';
  }

  #acknowledge({ metadata, status }: KubeVirtResource, signal: AbortSignal): void {
    const { client, logger } = this.#options;
    const { generation } = metadata;
    if (status?.observedGeneration === generation) return;
    const patch = { status: { observedGeneration: generation } };
    client.patch(KUBEVIRTS, metadata, 'merge', patch, { subresource: 'status', signal }).catch((error: unknown) => {
      // The next change is the next chance; nothing but a reader who waits for this one misses it.
      if (!signal.aborted) logger.warn({ err: error }, 'the KubeVirt object could not be acknowledged');
    });
  }
}
