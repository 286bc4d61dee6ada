import { isDeepStrictEqual } from 'node:util';
import { IP_POOLS, type IPPool, type IPPoolStatus } from '../../../api/index.ts';
import type { Draft, KubeClient } from '../../../kube/index.ts';

/**
 * Writes the status, where it is not so already.
 *
 * @param before as it is
 * @returns the pool as it is now; undefined: nothing was written
 */
export async function report(
  pool: IPPool,
  before: IPPoolStatus | undefined,
  status: IPPoolStatus,
  client: KubeClient,
): Promise<IPPool | undefined> {
  if (isDeepStrictEqual(before, status)) return undefined;
  const { namespace = '', name, uid } = pool.metadata;
  // An apply to the status subresource has no spec, which the type of a whole object asks for.
  const draft = { metadata: { namespace, name, uid }, status } as unknown as Draft<IPPool>;
  return await client.apply(IP_POOLS, draft, { subresource: 'status', force: true });
}
