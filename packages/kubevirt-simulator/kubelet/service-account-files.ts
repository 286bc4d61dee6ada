import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep, type Clock, type KubeClient, type Logger, type Pod } from '@groundcrew/controller-runtime';

export interface ServiceAccountFilesOptions {
  client: KubeClient;
  pod: Pod;
  /** Folder to write `token`, `ca.crt` and `namespace` to. */
  directory: string;
  /** PEM of the API server's authority. */
  ca: string;
  clock: Clock;
  logger: Logger;
}

/** Seconds; kubelet requests the same. */
const LIFETIME = 3607;
/** Share of a token's life after which it is replaced; kubelet's. */
const ROTATE_AT = 0.8;
/** Milliseconds between attempts after a failed renewal. */
const RETRY = 10_000;

interface TokenRequest {
  status?: { token?: string; expirationTimestamp?: string };
}

/**
 * Writes the credentials of a pod's service account as files, and replaces the token before it expires, until `signal`
 * is aborted. Resolves when the files exist; rejects if the API server issues no token.
 */
export async function keepServiceAccountFiles(options: ServiceAccountFilesOptions, signal: AbortSignal): Promise<void> {
  const { pod, directory, ca } = options;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeFile(join(directory, 'ca.crt'), ca);
  await writeFile(join(directory, 'namespace'), pod.metadata.namespace ?? '');
  const lifetime = await writeToken(options);
  void rotate(options, lifetime, signal);
}

async function rotate(options: ServiceAccountFilesOptions, lifetime: number, signal: AbortSignal): Promise<void> {
  let wait = lifetime * ROTATE_AT;
  for (;;) {
    await sleep(options.clock, wait, signal);
    if (signal.aborted) return;
    try {
      wait = (await writeToken(options)) * ROTATE_AT;
    } catch (error) {
      const { namespace, name } = options.pod.metadata;
      options.logger.warn({ err: error, namespace, name }, 'the token of a pod could not be renewed; trying again');
      wait = RETRY;
    }
  }
}

/** Replaces the token file atomically. Returns the token's lifetime in milliseconds. */
async function writeToken({ client, pod, directory, clock }: ServiceAccountFilesOptions): Promise<number> {
  const { namespace = '', name, uid } = pod.metadata;
  const account = pod.spec?.serviceAccountName ?? 'default';
  const answer = (await client.request({
    method: 'POST',
    path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/serviceaccounts/${encodeURIComponent(account)}/token`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: LIFETIME, boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid } },
    }),
  })) as TokenRequest;
  const { token, expirationTimestamp } = answer.status ?? {};
  if (token === undefined)
    throw new TypeError(`the API server issued no token for service account ${namespace}/${account}`);
  const path = join(directory, 'token');
  await writeFile(`${path}.next`, token, { mode: 0o600 });
  await rename(`${path}.next`, path);
  const expires = Date.parse(expirationTimestamp ?? '');
  return Number.isNaN(expires) ? LIFETIME * 1000 : Math.max(expires - clock.now(), RETRY);
}
