import { CONFIG_MAPS, SECRETS, type KubeClient, type ObjectRef } from '@groundcrew/controller-runtime';
import type { HttpSource } from '../objects.ts';
import type { HttpOrder } from './open-http.ts';

/** What one import is to fetch, and what the volume can take. */
export interface ImportOrder {
  http: HttpOrder & { checksum: string | undefined };
  available: number;
}

/** A pod that cannot start yet: an object that its container needs is not there. */
export class NotStartable extends Error {
  override readonly name = 'NotStartable';
  readonly code = 'NotStartable';
  /** As the kubelet gives it for the container. */
  readonly reason: 'CreateContainerConfigError' | 'ContainerCreating';

  constructor(reason: NotStartable['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * Reads the Secrets and ConfigMaps that a source names, anew for each attempt as a container's start does.
 *
 * @throws NotStartable for one that is not there
 */
export async function httpOrder(client: KubeClient, namespace: string, source: HttpSource): Promise<HttpOrder> {
  const { url, secretRef, certConfigMap, extraHeaders = [], secretExtraHeaders = [] } = source;
  const credentials = secretRef === undefined ? undefined : await secretValues(client, { namespace, name: secretRef });
  const lines = [...extraHeaders];
  for (const name of secretExtraHeaders) {
    lines.push(...Object.values(await secretValues(client, { namespace, name })));
  }
  const user = credentials?.['accessKeyId'] ?? '';
  const password = credentials?.['secretKey'] ?? '';
  return {
    url,
    headers: lines.map(headerOf),
    // As CDI: both, or it asks without.
    ...(user === '' || password === '' ? {} : { credentials: { user, password } }),
    authorities: certConfigMap === undefined ? [] : await configMapValues(client, { namespace, name: certConfigMap }),
    insecure: source.insecureSkipVerify === true,
  };
}

async function secretValues(client: KubeClient, ref: ObjectRef): Promise<Record<string, string>> {
  const secret = await client.find(SECRETS, ref);
  if (secret === undefined) {
    throw new NotStartable('CreateContainerConfigError', `secret "${ref.name}" not found`);
  }
  return Object.fromEntries(
    Object.entries(secret.data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]),
  );
}

/** The kubelet waits for a volume's ConfigMap without giving the container a message. */
async function configMapValues(client: KubeClient, ref: ObjectRef): Promise<string[]> {
  const configMap = await client.find(CONFIG_MAPS, ref);
  if (configMap === undefined) throw new NotStartable('ContainerCreating', '');
  return Object.values(configMap.data ?? {});
}

function headerOf(line: string): [string, string] {
  const colon = line.indexOf(':');
  return colon === -1 ? [line.trim(), ''] : [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
}
