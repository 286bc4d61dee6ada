import { ANNOTATIONS, leaseTimeOf, type IPLease, type IPPool } from '../../../api/index.ts';

/** Milliseconds for which an address that another machine was found to have is not given to anybody. */
export const TOMBSTONE = 24 * 3_600_000;

/** Milliseconds by which what agents write of a lease may be behind what clients were told. */
const STATUS_INTERVAL = 600_000;

/**
 * When the address of a lease that was let go may be given to another, in milliseconds since 1970: its client can no longer
 * hold it (RFC 2131 §4.3.1), and no agent serves it any more.
 *
 * @param grace milliseconds that agents have to hear that it was let go, and to tell what they acknowledged until then
 */
export function freeAt({ metadata, status }: IPLease, pool: IPPool | undefined, grace: number): number {
  const releasedAt = timeOf(metadata.annotations?.[ANNOTATIONS.releasedAt]) ?? Infinity;
  const unheardOf = releasedAt + grace;
  if (status?.state === 'Declined') return Math.max(unheardOf, releasedAt + TOMBSTONE);
  // The client gave it back, after all that it was told.
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
