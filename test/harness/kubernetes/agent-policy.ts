import { ApiError, collectionPath, type KubeClient } from '@groundcrew/controller-runtime';
import { renderChart } from '../chart.ts';
import { eventually } from '../eventually.ts';
import { findTool } from '../../tools/index.ts';

const KINDS: Record<string, string | undefined> = {
  ValidatingAdmissionPolicy: 'validatingadmissionpolicies',
  ValidatingAdmissionPolicyBinding: 'validatingadmissionpolicybindings',
};

/**
 * Installs the chart's admission policies for agents, so that all suites on a real server run under them, and waits until the server
 * evaluates them. Without Helm, nothing is installed.
 */
export async function installAgentPolicy(client: KubeClient): Promise<void> {
  if (findTool('helm') === undefined) return;
  for (const object of await renderChart({ namespace: 'default' })) {
    const plural = KINDS[object.kind];
    if (plural === undefined) continue;
    const kind = { group: 'admissionregistration.k8s.io', version: 'v1', kind: object.kind, plural, namespaced: false };
    await client.request({
      method: 'PATCH',
      path: `${collectionPath(kind)}/${object.metadata.name}?fieldManager=helm&force=true`,
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: JSON.stringify(object),
    });
  }
  await eventually(() => assertEvaluated(client), { timeout: 30_000 });
}

/** With all permissions, so that only the policy refuses. */
const AGENT = {
  'impersonate-user': 'system:serviceaccount:default:probe-virtbmc',
  'impersonate-group': 'system:masters',
};

async function assertEvaluated(client: KubeClient): Promise<void> {
  const metadata = { name: 'probe', annotations: { 'kubernetes.io/service-account.name': 'default' } };
  const token = { apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/service-account-token', metadata };
  const request = client.request({
    method: 'POST',
    path: '/api/v1/namespaces/default/secrets?dryRun=All',
    headers: { 'content-type': 'application/json', ...AGENT },
    body: JSON.stringify(token),
  });
  const refusal = await request.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(refusal instanceof ApiError) || refusal.status !== 403)
    throw new Error('the policy is not evaluated yet', { cause: refusal });
}
