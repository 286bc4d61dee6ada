import {
  CUSTOM_RESOURCE_DEFINITIONS,
  type Kind,
  type KubeClient,
  type KubeObject,
} from '@groundcrew/controller-runtime';
import { eventually } from './eventually.ts';

/**
 * Deletes the CRD of a kind with all its objects, if the server has it: another test file may have installed it. Finalizers are removed,
 * because the controllers that would do so may not run any more.
 */
export async function uninstallKind<T extends KubeObject>(client: KubeClient, kind: Kind<T>): Promise<void> {
  const name = `${kind.plural}.${kind.group}`;
  if ((await client.find(CUSTOM_RESOURCE_DEFINITIONS, { name })) === undefined) return;
  const { items } = await client.list(kind);
  for (const { metadata } of items) {
    if (metadata.finalizers !== undefined)
      await client.patch(kind, metadata, 'merge', { metadata: { finalizers: null } });
    await client.delete(kind, metadata);
  }
  await client.delete(CUSTOM_RESOURCE_DEFINITIONS, { name });
  await eventually(
    async () => {
      if ((await client.find(CUSTOM_RESOURCE_DEFINITIONS, { name })) !== undefined)
        throw new Error(`${name} is still there`);
    },
    { timeout: 30_000 },
  );
}
