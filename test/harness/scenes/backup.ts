import type { Draft, Kind, KubeClient, KubeObject, ObjectRef } from '@groundcrew/controller-runtime';
import { eventually } from '../index.ts';

/** Deletes an object and creates it again without status and with another UID, as Velero does by default. */
export async function restoreWithoutStatus<T extends KubeObject>(
  client: KubeClient,
  kind: Kind<T>,
  ref: ObjectRef,
): Promise<void> {
  const { metadata, ...rest } = await client.get(kind, ref);
  const { labels = {}, annotations = {} } = metadata;
  await client.delete(kind, ref);
  await eventually(async () => {
    if ((await client.find(kind, ref)) !== undefined) throw new Error(`${kind.kind} ${ref.name} is still there`);
  });
  const backup = { ...rest, status: undefined, metadata: { ...ref, labels, annotations } };
  await client.create(kind, backup as unknown as Draft<T>); // TypeScript does not spread generic types
}
