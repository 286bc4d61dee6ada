import { ANNOTATIONS, IP_LEASES, LABELS, type IPLease } from '../../../api/index.ts';
import { isNotFound, type Clock, type KubeClient } from '@groundcrew/controller-runtime';
import type { Newest } from '../../ipam/index.ts';

/** The dependencies for writing leases. */
export interface LeaseWriter {
  client: KubeClient;
  clock: Clock;
  leases: Newest<IPLease>;
}

/**
 * Releases a lease: agents stop serving it at once, and its address stays taken until its client can no longer hold it.
 * Idempotent.
 *
 * @param keepRetained keep the mark that it was retained for its VM
 * @throws ApiError 409 if another lease has the name
 */
export async function release(lease: IPLease, writer: LeaseWriter, keepRetained = false): Promise<void> {
  // With milliseconds: the agents' grace is only a few seconds.
  const releasedAt = lease.metadata.annotations?.[ANNOTATIONS.releasedAt] ?? new Date(writer.clock.now()).toISOString();
  await relabel(lease, writer, {
    uid: lease.metadata.uid,
    labels: { [LABELS.released]: 'true', ...(keepRetained ? {} : { [LABELS.retained]: null }) },
    annotations: { [ANNOTATIONS.releasedAt]: releasedAt },
  });
}

/** Retains a lease, which is still served, for a VM of the same name. */
export async function retain(lease: IPLease, writer: LeaseWriter): Promise<void> {
  await relabel(lease, writer, { uid: lease.metadata.uid, labels: { [LABELS.retained]: 'true' } });
}

/**
 * Takes back a released or retained lease.
 *
 * @returns whether it still existed
 * @throws ApiError 409 if it has changed since it was read: it may be about to be deleted
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
 * Deletes a released lease if it has not changed since it was read, so that later reports of agents and a take-back are
 * not missed.
 *
 * @throws ApiError 409 if it has changed
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
    // The lease is gone; nothing remains to be written.
    if (!isNotFound(error)) throw error;
    leases.forget(lease);
    return false;
  }
}
