import { isDeepStrictEqual } from 'node:util';
import type { Draft, Kind, KubeClient, KubeObject } from '@groundcrew/controller-runtime';

/**
 * Writes the complete status of an object if it has changed: an apply removes the fields that it leaves out.
 *
 * @param before the current status
 * @returns the object after the write; undefined: nothing was written
 */
export async function report<T extends KubeObject & { status?: object }>(
  kind: Kind<T>,
  { metadata: { namespace = '', name, uid } }: T,
  before: T['status'],
  status: NonNullable<T['status']>,
  client: KubeClient,
): Promise<T | undefined> {
  if (isDeepStrictEqual(before, status)) return undefined;
  // An apply to the status subresource has no spec, which the type requires.
  const draft = { metadata: { namespace, name, uid }, status } as unknown as Draft<T>;
  return await client.apply(kind, draft, { subresource: 'status', force: true });
}
