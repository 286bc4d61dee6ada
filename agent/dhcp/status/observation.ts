import type { ClientInputs } from '../../../protocols/dhcp/index.ts';
import type { KnownStatus, LeaseRecord } from '../store/lease-record.ts';

/** What was seen of a lease and is not written yet; times in ms since 1970. */
export interface Observation {
  /** As it was then. */
  readonly record: LeaseRecord;
  /** When to write it. */
  readonly due: number;
  readonly lastSeen?: number;
  readonly lastAck?: number;
  /** When the client may hold it until. */
  readonly expires?: number;
  readonly state?: 'Bound' | 'Released' | 'Declined';
  readonly inputs?: ClientInputs;
  readonly bootConsumedUID?: string;
}

/** What happened to a lease, for {@link sightingOf}. */
export type Happening =
  | { is: 'seen' }
  /** `leaseTime` in seconds. */
  | { is: 'acknowledged'; leaseTime: number; inputs: () => ClientInputs }
  | { is: 'released' }
  /** That another has the address is certain. */
  | { is: 'declined' }
  | { is: 'boot consumed'; uid: string };

/** Milliseconds between two writes of one lease for no other reason than that time passes. */
const WRITE_INTERVAL = 600_000;
/**
 * Milliseconds by which writes wait. What changes a state waits for what follows at once, and for the first rush of a
 * boot storm to be over: answers go before bookkeeping. What was merely seen waits for the ACK that mostly follows.
 */
const CHANGE_DELAY = 400;
const SEEN_DELAY = 5000;
/** Milliseconds for which a conflict stands although the client was given the address again. */
const CONFLICT_STANDS = 600_000;

/**
 * What is to be written of something that happened to a lease, and when; undefined where it is not worth a write.
 *
 * @param waiting what is to be written of the lease already, or is being written: it will be so before this is
 */
export function sightingOf(
  happening: Happening,
  record: LeaseRecord,
  now: number,
  waiting?: Observation,
): Observation | undefined {
  const overdue = isOverdue(record, now);
  const change = { record, due: now + CHANGE_DELAY, lastSeen: now };
  switch (happening.is) {
    case 'seen':
      return overdue ? { record, due: now + SEEN_DELAY, lastSeen: now } : undefined;
    case 'acknowledged': {
      const state = waiting?.state === 'Declined' || conflictStands(record, now) ? 'Declined' : 'Bound';
      const isTold =
        (waiting?.state ?? record.state) === state && (record.hasFirstBound || waiting?.lastAck !== undefined);
      const until = now + happening.leaseTime * 1000;
      const isCovered = until <= (waiting?.expires ?? (record.expires + 1) * 1000);
      if (isTold && isCovered && !overdue) return undefined;
      const expires = until + WRITE_INTERVAL;
      return { ...change, lastAck: now, expires, state, inputs: happening.inputs() };
    }
    case 'released':
      // Who gives an address back holds it no longer.
      return { ...change, state: 'Released', expires: now };
    case 'declined':
      return { ...change, state: 'Declined' };
    case 'boot consumed':
      return { ...change, bootConsumedUID: happening.uid };
  }
}

/** One observation of both; what the later one says goes before. */
export function merged(earlier: Observation | undefined, later: Observation): Observation {
  return earlier === undefined ? later : { ...earlier, ...later, due: Math.min(earlier.due, later.due) };
}

/** Whether nothing was written of it for so long that anything is worth it. */
export function isOverdue({ written }: KnownStatus, now: number): boolean {
  return now - written * 1000 >= WRITE_INTERVAL;
}

/** Whether it says no more than that the client is there. */
export function isMere({ state, bootConsumedUID }: Observation): boolean {
  return state === undefined && bootConsumedUID === undefined;
}

/** A client that is given its address right after it found it taken proves nothing. */
function conflictStands({ state, written }: KnownStatus, now: number): boolean {
  return state === 'Declined' && now - written * 1000 < CONFLICT_STANDS;
}
