import { SERVICE_ACCOUNTS, collectionPath, type KubeObject, type ObjectRef } from '@groundcrew/controller-runtime';
import { CHART, renderChart } from './chart.ts';
import type { TestServer } from './server.ts';

/** Kinds that define the manager's permissions, with their REST names. */
const PERMISSIONS: Record<string, { plural: string; namespaced: boolean }> = {
  ClusterRole: { plural: 'clusterroles', namespaced: false },
  ClusterRoleBinding: { plural: 'clusterrolebindings', namespaced: false },
  Role: { plural: 'roles', namespaced: true },
  RoleBinding: { plural: 'rolebindings', namespaced: true },
};

/**
 * Creates and returns the manager's service account with exactly the chart's permissions. Roles are created only if the
 * server checks permissions.
 *
 * @param set values of the chart
 * @param chart folder; default: the chart of this version
 */
export async function applyManagerRbac(
  server: TestServer,
  namespace: string,
  set: readonly string[] = [],
  chart: string = CHART,
): Promise<Required<ObjectRef>> {
  const account = { namespace, name: 'groundcrew' };
  if (!server.rbac) {
    await server.client.apply(SERVICE_ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account });
    return account;
  }
  const objects = await renderChart({ chart, namespace, set });
  for (const object of objects) await applyPermission(server, namespace, object);
  const rendered = objects.find(({ kind }) => kind === 'ServiceAccount');
  if (rendered === undefined) throw new Error('the chart renders no ServiceAccount');
  const { name } = rendered.metadata;
  await server.client.apply(SERVICE_ACCOUNTS, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { namespace, name },
  });
  return { namespace, name };
}

async function applyPermission(server: TestServer, namespace: string, object: KubeObject): Promise<void> {
  const resource = PERMISSIONS[object.kind];
  if (resource === undefined) return;
  const kind = { group: 'rbac.authorization.k8s.io', version: 'v1', kind: object.kind, ...resource };
  const path = collectionPath(kind, resource.namespaced ? (object.metadata.namespace ?? namespace) : undefined);
  await server.client.request({
    method: 'PATCH',
    path: `${path}/${object.metadata.name}?fieldManager=helm&force=true`,
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: JSON.stringify(object),
  });
}
