import { isDeepStrictEqual } from 'node:util';
import type { Draft, Kind, KubeClient, KubeObject } from '@groundcrew/controller-runtime';

/**
 * Writes the status of an object whole, where it is not so already: an apply takes away what it leaves out.
 *
 * @param before as it is
 * @returns the object as it is now; undefined: nothing was written
 */
export async function report<T extends KubeObject & { status?: object }>(
  kind: Kind<T>,
  { metadata: { namespace = '', name, uid } }: T,
  before: T['status'],
  status: NonNullable<T['status']>,
  client: KubeClient,
): Promise<T | undefined> {
  if (isDeepStrictEqual(before, status)) return undefined;
  // An apply to the status subresource has no spec, which the type of a whole object asks for.
  const draft = { metadata: { namespace, name, uid }, status } as unknown as Draft<T>;
  return await client.apply(kind, draft, { subresource: 'status', force: true });
}
