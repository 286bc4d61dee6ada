import {
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
} from '@groundcrew/controller-runtime';
import { definition, OPEN } from '../kubevirt/definition.ts';
import { KUBEVIRTS, type KubeVirtResource } from './feature-gates.ts';

const NAME = { namespace: 'kubevirt', name: 'kubevirt' };

/** Milliseconds between looks at whether the API server serves the kind just registered, and how many. */
const POLL = 50;
const POLLS = 600;

/**
 * Makes the kind KubeVirt known, which every user may read, and its one object where there is none yet: what somebody
 * has set in it stays.
 *
 * @param featureGates those of a new object
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
    client.apply(CLUSTER_ROLE_BINDINGS, EVERYBODY_READS, { force: true }),
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

const EVERYBODY_READS: Draft<Binding> = {
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
