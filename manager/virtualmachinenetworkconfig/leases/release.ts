import { ANNOTATIONS, IP_LEASES, LABELS, type IPLease } from '../../../api/index.ts';
import { isNotFound, type Clock, type KubeClient } from '@groundcrew/controller-runtime';
import type { Newest } from '../../ipam/index.ts';

/** What writes leases. */
export interface LeaseWriter {
  client: KubeClient;
  clock: Clock;
  leases: Newest<IPLease>;
}

/**
 * Lets a lease go: agents stop serving it at once, its address stays taken until its client can no longer hold it. May be
 * called many times.
 *
 * @param keepRetained leave the mark that it was kept for its VM
 * @throws ApiError 409 where another lease has the name
 */
export async function release(lease: IPLease, writer: LeaseWriter, keepRetained = false): Promise<void> {
  // To the millisecond: agents are given a few seconds, of which a whole one is not to be lost.
  const releasedAt = lease.metadata.annotations?.[ANNOTATIONS.releasedAt] ?? new Date(writer.clock.now()).toISOString();
  await relabel(lease, writer, {
    uid: lease.metadata.uid,
    labels: { [LABELS.released]: 'true', ...(keepRetained ? {} : { [LABELS.retained]: null }) },
    annotations: { [ANNOTATIONS.releasedAt]: releasedAt },
  });
}

/** Keeps a lease, which goes on being served, for a VM of the same name. */
export async function retain(lease: IPLease, writer: LeaseWriter): Promise<void> {
  await relabel(lease, writer, { uid: lease.metadata.uid, labels: { [LABELS.retained]: 'true' } });
}

/**
 * Takes a lease back that was let go or kept.
 *
 * @returns whether it was there still
 * @throws ApiError 409 where it has changed since it was read: it may be about to be deleted
 */
export async function revive(lease: IPLease, writer: LeaseWriter): Promise<boolean> {
  const { uid, resourceVersion } = lease.metadata;
  return await relabel(lease, writer, {
    uid,
    resourceVersion,
    labels: { [LABELS.released]: null, [LABELS.retained]: null },
    annotations: { [ANNOTATIONS.releasedAt]: null },
  });
}

/**
 * Frees the address of a lease that was let go, if it is still as it was read: what an agent has written of it since, or
 * who has taken it back, is not overlooked.
 *
 * @throws ApiError 409 where it has changed
 */
export async function remove({ metadata }: IPLease, { client }: Pick<LeaseWriter, 'client'>): Promise<void> {
  const { namespace = '', name, uid, resourceVersion } = metadata;
  await client.delete(
    IP_LEASES,
    { namespace, name },
    { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) },
  );
}

async function relabel(lease: IPLease, { client, leases }: LeaseWriter, metadata: object): Promise<boolean> {
  const { namespace = '', name } = lease.metadata;
  try {
    leases.note(await client.patch(IP_LEASES, { namespace, name }, 'merge', { metadata }));
    return true;
  } catch (error) {
    // Gone, and with it all that was to be said of it.
    if (!isNotFound(error)) throw error;
    leases.forget(lease);
    return false;
  }
}
