import { ROLE_BINDINGS, ROLES, SERVICE_ACCOUNTS, type KubeClient } from '@groundcrew/controller-runtime';

const GROUP = 'network.harvesterhci.io';
const NAME = 'dhcp-agent';

/** All permissions of an agent: the Role from the manager. */
const RULES = [
  { apiGroups: [GROUP], resources: ['ippools'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: [GROUP], resources: ['ipleases'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: [GROUP], resources: ['ipleases/status'], verbs: ['get', 'patch'] },
  { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
];

/** Creates a service account with that Role in its namespace. */
export async function agentAccount(
  client: KubeClient,
  namespace: string,
): Promise<{ namespace: string; name: string }> {
  const metadata = { namespace, name: NAME };
  await client.apply(SERVICE_ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
  const type = { apiVersion: 'rbac.authorization.k8s.io/v1' };
  await client.apply(ROLES, { ...type, kind: 'Role', metadata, rules: RULES });
  await client.apply(ROLE_BINDINGS, {
    ...type,
    kind: 'RoleBinding',
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: NAME },
    subjects: [{ kind: 'ServiceAccount', namespace, name: NAME }],
  });
  return metadata;
}
