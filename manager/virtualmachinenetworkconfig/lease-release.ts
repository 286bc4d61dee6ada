import { ANNOTATIONS, IP_LEASES, LABELS, leaseState, leaseTimeOf, type IPLease, type IPPool } from '../../api/index.ts';
import { unlessGone, type Clock, type KubeClient } from '@groundcrew/controller-runtime';
import type { Newest } from '../ipam/index.ts';
import { isRefusal } from '../refusal.ts';

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
 * Writes the state of a lease that no client reports on: `Resting`, or `Bound` when it is taken back. A refusal is ignored, because
 * nothing but a display depends on it: an older CRD does not have the state.
 *
 * @throws ApiError 409 if an agent has written since
 */
export async function setState(
  { metadata }: IPLease,
  state: 'Bound' | 'Resting',
  { client, leases }: Pick<LeaseWriter, 'client' | 'leases'>,
): Promise<void> {
  const { namespace = '', name, uid, resourceVersion } = metadata;
  const patch = { metadata: { uid, resourceVersion }, status: leaseState(state) };
  try {
    leases.note(await client.patch(IP_LEASES, { namespace, name }, 'merge', patch, { subresource: 'status' }));
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
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
  const written = await unlessGone(() => client.patch(IP_LEASES, { namespace, name }, 'merge', { metadata }));
  if (written === undefined) leases.forget(lease);
  else leases.note(written);
  return written !== undefined;
}

/** Milliseconds for which an address in use by another machine is not leased. */
export const TOMBSTONE = 24 * 3_600_000;

/** Maximum milliseconds between an acknowledgement to a client and the agent's status report of it. */
const STATUS_INTERVAL = 600_000;

/**
 * When the address of a released lease is free, in milliseconds since 1970: the client's lease has expired (RFC 2131
 * §4.3.1) and no agent serves it any more.
 *
 * @param grace milliseconds for agents to receive the release and to report earlier acknowledgements
 * @param mayBeQuarantined whether an address in use by another machine is kept for TOMBSTONE
 */
export function freeAt(
  { metadata, status }: IPLease,
  pool: IPPool | undefined,
  grace: number,
  mayBeQuarantined = true,
): number {
  const releasedAt = timeOf(metadata.annotations?.[ANNOTATIONS.releasedAt]) ?? Infinity;
  const unheardOf = releasedAt + grace;
  if (status?.state === 'Declined' && mayBeQuarantined) return Math.max(unheardOf, releasedAt + TOMBSTONE);
  // The client returned the address after its last acknowledgement.
  if (status?.state === 'Released') return unheardOf;
  const lastAck = timeOf(status?.lastAck);
  const byLastAck =
    lastAck === undefined || pool === undefined ? 0 : lastAck + leaseTimeOf(pool.spec) * 1000 + STATUS_INTERVAL;
  return Math.max(unheardOf, timeOf(status?.expires) ?? byLastAck);
}

function timeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}
