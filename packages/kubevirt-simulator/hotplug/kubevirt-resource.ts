import {
  CachedWatch,
  CUSTOM_RESOURCE_DEFINITIONS,
  isAlreadyExists,
  isNotFound,
  NAMESPACES,
  sleep,
  type Clock,
  type Draft,
  type Kind,
  type KubeClient,
  type KubeObject,
  type Logger,
} from '@groundcrew/controller-runtime';
import type { PodBinding } from '../kubevirt/defaults.ts';
import { definition, OPEN } from '../kubevirt/definition.ts';

const NAME = { namespace: 'kubevirt', name: 'kubevirt' };

/** Interval and number of attempts until the API server serves a new kind, milliseconds. */
const POLL = 50;
const POLLS = 600;

/**
 * Registers the kind KubeVirt, which every user may read, and creates its object; an existing object is kept.
 *
 * @param featureGates of a new object
 */
export async function registerKubeVirt(
  client: KubeClient,
  clock: Clock,
  featureGates: readonly string[],
): Promise<void> {
  await Promise.all([
    client.apply(CUSTOM_RESOURCE_DEFINITIONS, DEFINITION, { force: true }),
    existing(client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAME.namespace } })),
    client.apply(CLUSTER_ROLES, READERS, { force: true }),
    client.apply(CLUSTER_ROLE_BINDINGS, READ_FOR_ALL_USERS, { force: true }),
  ]);
  const never = new AbortController().signal;
  for (let poll = 1; ; poll += 1) {
    try {
      await existing(client.create(KUBEVIRTS, resourceWith(featureGates)));
      break;
    } catch (error) {
      if (!isNotFound(error) || poll === POLLS) throw error;
      await sleep(clock, POLL, never);
    }
  }
  await client.patch(KUBEVIRTS, NAME, 'merge', { status: DEPLOYED }, { subresource: 'status' });
}

function resourceWith(featureGates: readonly string[]): Draft<KubeVirtResource> {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'KubeVirt',
    metadata: NAME,
    spec: { configuration: { developerConfiguration: { featureGates: [...featureGates] } } },
  };
}

const DEPLOYED = { phase: 'Deployed', observedKubeVirtVersion: 'v1.8.4', operatorVersion: 'v1.8.4' };

const DEFINITION = definition({
  group: 'kubevirt.io',
  version: 'v1',
  kind: 'KubeVirt',
  plural: 'kubevirts',
  scope: 'Namespaced',
  shortNames: ['kv', 'kvs'],
  categories: ['all'],
  description: 'KubeVirt represents the object deploying all KubeVirt resources',
  columns: [
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
  ],
  status: OPEN,
  statusSubresource: true,
});

type Role = KubeObject & { rules: unknown[] };
type Binding = KubeObject & { roleRef: unknown; subjects: unknown[] };
const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: false } as const;
const CLUSTER_ROLES: Kind<Role> = { ...RBAC, kind: 'ClusterRole', plural: 'clusterroles' };
const CLUSTER_ROLE_BINDINGS: Kind<Binding> = { ...RBAC, kind: 'ClusterRoleBinding', plural: 'clusterrolebindings' };
const ROLE_NAME = 'kubevirt.io:default';

const READERS: Draft<Role> = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: ROLE_NAME },
  rules: [
    { apiGroups: ['kubevirt.io'], resources: ['kubevirts'], verbs: ['get', 'list'] },
    { apiGroups: ['subresources.kubevirt.io'], resources: ['version', 'guestfs'], verbs: ['get', 'list'] },
  ],
};

const READ_FOR_ALL_USERS: Draft<Binding> = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: ROLE_NAME },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: ROLE_NAME },
  subjects: ['system:authenticated', 'system:unauthenticated'].map((name) => ({
    apiGroup: 'rbac.authorization.k8s.io',
    kind: 'Group',
    name,
  })),
};

async function existing(creation: Promise<unknown>): Promise<void> {
  await creation.catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
}

/** KubeVirt's configuration: the object `kubevirt` in the namespace `kubevirt`. */
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

  /** Follows the KubeVirt object, and writes the observed generation into its status. */
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
      // Retried at the next change.
      if (!signal.aborted) logger.warn({ err: error }, 'the KubeVirt object could not be acknowledged');
    });
  }
}
