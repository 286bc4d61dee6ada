import type { KubeClient, ObjectRef } from '@groundcrew/controller-runtime';

/**
 * A token of the service account, from the TokenRequest API.
 *
 * @param expirationSeconds default an hour
 */
export async function serviceAccountToken(
  client: KubeClient,
  account: Required<ObjectRef>,
  expirationSeconds = 3600,
): Promise<string> {
  const answer = await client.request({
    method: 'POST',
    path: `/api/v1/namespaces/${account.namespace}/serviceaccounts/${account.name}/token`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds },
    }),
  });
  // authentication.k8s.io/v1 TokenRequest; the server sets the status.
  return (answer as { status: { token: string } }).status.token;
}
