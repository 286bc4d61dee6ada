import type { KubeClient, KubeObject } from '@groundcrew/controller-runtime';

/** The fields of an APIResourceList that are used. */
interface ResourceList {
  resources: { name: string; kind: string; namespaced: boolean }[];
}

/**
 * Makes a dry-run apply of an object with strict field validation, and returns the object that would be stored. Throws
 * the server's error.
 *
 * @param namespace namespace of the object if it has none
 */
export async function dryRunApply(client: KubeClient, object: KubeObject, namespace: string): Promise<unknown> {
  const collection = await collectionOf(client, object, namespace);
  return await client.request({
    method: 'PATCH',
    path: `${collection}/${object.metadata.name}?dryRun=All&fieldValidation=Strict&fieldManager=kubectl&force=true`,
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: JSON.stringify(object),
  });
}

async function collectionOf(client: KubeClient, object: KubeObject, namespace: string): Promise<string> {
  const root = object.apiVersion.includes('/') ? `/apis/${object.apiVersion}` : `/api/${object.apiVersion}`;
  const { resources } = (await client.request({ method: 'GET', path: root })) as ResourceList; // The response of the discovery API.
  const resource = resources.find(({ kind, name }) => kind === object.kind && !name.includes('/'));
  if (resource === undefined) throw new Error(`the server serves no ${object.kind} in ${object.apiVersion}`);
  const scope = resource.namespaced ? `/namespaces/${object.metadata.namespace ?? namespace}` : '';
  return `${root}${scope}/${resource.name}`;
}
