import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ROLE_BINDINGS,
  ROLES,
  SERVICE_ACCOUNTS,
  type KubeClient,
  type ObjectRef,
  type Role,
} from '@groundcrew/controller-runtime';
import type { TestServer } from './server.ts';

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

/** Creates a service account with a Role of its name and these rules. */
export async function grantRole(client: KubeClient, account: Required<ObjectRef>, rules: Role['rules']): Promise<void> {
  const force = { force: true };
  const group = 'rbac.authorization.k8s.io';
  await client.apply(SERVICE_ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account }, force);
  await client.apply(ROLES, { apiVersion: `${group}/v1`, kind: 'Role', metadata: account, rules }, force);
  const binding = {
    apiVersion: `${group}/v1`,
    kind: 'RoleBinding',
    metadata: account,
    roleRef: { apiGroup: group, kind: 'Role', name: account.name },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  };
  await client.apply(ROLE_BINDINGS, binding, force);
}

/** The variables by which a program in a pod finds the API server and the files of its service account. */
export interface PodEnvironment extends NodeJS.ProcessEnv {
  KUBERNETES_SERVICE_HOST: string;
  KUBERNETES_SERVICE_PORT: string;
  GROUNDCREW_SERVICEACCOUNT_DIR: string;
}

/** Writes the files of a service account into a new folder, as kubelet does, and returns the environment of its pod. */
export async function podEnvironment(
  { client, server, ca }: Pick<TestServer, 'client' | 'server' | 'ca'>,
  account: Required<ObjectRef>,
  folder: string,
): Promise<PodEnvironment> {
  mkdirSync(folder, { recursive: true });
  const files = { token: await serviceAccountToken(client, account), 'ca.crt': ca, namespace: account.namespace };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const { hostname, port } = new URL(server);
  return {
    KUBERNETES_SERVICE_HOST: hostname,
    KUBERNETES_SERVICE_PORT: port,
    GROUNDCREW_SERVICEACCOUNT_DIR: folder,
  };
}
