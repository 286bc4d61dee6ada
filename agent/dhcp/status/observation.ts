import type { ClientInputs } from '../../../protocols/dhcp/index.ts';
import type { KnownStatus, LeaseRecord } from '../store/lease-record.ts';

/** Unwritten observations of a lease; times in ms since 1970. */
export interface Observation {
  /** The lease at that time. */
  readonly record: LeaseRecord;
  /** When to write it; the writer counts it in monotonic ms. */
  readonly due: number;
  readonly lastSeen?: number;
  readonly lastAck?: number;
  /** Time until which the client may hold the address. */
  readonly expires?: number;
  readonly state?: 'Bound' | 'Released' | 'Declined';
  /** MAC address of the other host that has the address. */
  readonly conflictingMAC?: string;
  readonly inputs?: ClientInputs;
  readonly bootConsumedUID?: string;
}

/** An event of a lease. */
export type Happening =
  | { is: 'seen' }
  /** `leaseTime` in seconds. */
  | { is: 'acknowledged'; leaseTime: number; inputs: () => ClientInputs }
  | { is: 'released' }
  /** Another host, with that MAC address, certainly has the address. */
  | { is: 'declined'; by: string }
  | { is: 'boot consumed'; uid: string };

/** Milliseconds between two periodic writes of one lease. */
const WRITE_INTERVAL = 600_000;
/**
 * Delay of writes, ms. A state change waits for further events and for the first peak of a boot storm, since answers have priority.
 * A message of a client waits for the ACK that usually follows.
 */
const CHANGE_DELAY = 400;
const SEEN_DELAY = 5000;
/** Milliseconds for which a conflict is kept although the client gets the address again. */
const CONFLICT_STANDS = 600_000;

/**
 * The observation to write after an event of a lease; undefined if a write is not necessary.
 *
 * @param waiting observation of the lease that is written before
 */
export function observationOf(
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
      // A client that released its address no longer holds it.
      return { ...change, state: 'Released', expires: now };
    case 'declined':
      return { ...change, state: 'Declined', conflictingMAC: happening.by };
    case 'boot consumed':
      return { ...change, bootConsumedUID: happening.uid };
  }
}

/** Merges two observations; the later one has priority. */
export function merged(earlier: Observation | undefined, later: Observation): Observation {
  return earlier === undefined ? later : { ...earlier, ...later, due: Math.min(earlier.due, later.due) };
}

/** Whether the last write is so old that any event is written. */
export function isOverdue({ written }: KnownStatus, now: number): boolean {
  return now - written * 1000 >= WRITE_INTERVAL;
}

/** Whether it only says that the client is active. */
export function isMere({ state, bootConsumedUID }: Observation): boolean {
  return state === undefined && bootConsumedUID === undefined;
}

/** An ACK right after a conflict does not prove that the conflict is over. */
function conflictStands({ state, written }: KnownStatus, now: number): boolean {
  return state === 'Declined' && now - written * 1000 < CONFLICT_STANDS;
}
