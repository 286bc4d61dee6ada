import { ANNOTATIONS, leaseTimeOf, type IPLease, type IPPool } from '../../../api/index.ts';

/** Milliseconds for which an address in use by another machine is not leased. */
export const TOMBSTONE = 24 * 3_600_000;

/** Maximum milliseconds between an acknowledgement to a client and the agent's status report of it. */
const STATUS_INTERVAL = 600_000;

/**
 * When the address of a released lease is free, in milliseconds since 1970: the client's lease has expired (RFC 2131
 * §4.3.1) and no agent serves it any more.
 *
 * @param grace milliseconds for agents to receive the release and to report earlier acknowledgements
 */
export function freeAt({ metadata, status }: IPLease, pool: IPPool | undefined, grace: number): number {
  const releasedAt = timeOf(metadata.annotations?.[ANNOTATIONS.releasedAt]) ?? Infinity;
  const unheardOf = releasedAt + grace;
  if (status?.state === 'Declined') return Math.max(unheardOf, releasedAt + TOMBSTONE);
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
