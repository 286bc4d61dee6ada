import { CONFIG_MAPS, type KubeClient } from '@groundcrew/controller-runtime';

/**
 * Writes a bundle of certificates, PEM, to key `ca.crt` of a ConfigMap, for clients that may not read Secrets.
 *
 * @throws ApiError, TransportError
 */
export async function publishBundle(
  bundle: string,
  { client, namespace, name }: { client: KubeClient; namespace: string; name: string },
): Promise<void> {
  const metadata = { namespace, name };
  const found = await client.find(CONFIG_MAPS, metadata);
  if (found?.data?.['ca.crt'] === bundle) return;
  const data = { 'ca.crt': bundle };
  if (found === undefined) await client.create(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
  else await client.patch(CONFIG_MAPS, metadata, 'merge', { data });
}
