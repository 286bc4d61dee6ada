import { requesterOf } from './requester-of.ts';
import type { LogEntry } from '../../../machine/index.ts';

/** Where a record stands: which entry of the machine's log it tells, and which of that entry's records it is, 0 up. */
export interface RecordPlace {
  /** In the entries, oldest first. */
  index: number;
  part: number;
}

/**
 * Records that one entry can have: the event, who asked for it, and from where. Each entry has that many IDs, used or not, so that
 * the ID of a record follows from its entry's alone and stays when others come and go.
 */
export const PARTS = 3;

/** Entries until IDs begin anew: record IDs are 0001h to FFFEh. A log that holds fewer never has one ID twice. */
const CYCLE = Math.floor(0xfffe / PARTS);

export function recordIdOf(entry: LogEntry, part: number): number {
  return slotOf(entry) * PARTS + part + 1;
}

export function partCountOf({ event }: LogEntry): number {
  return requesterOf(event) === undefined ? 1 : PARTS;
}

/** The records in all. */
export function recordCountOf(entries: readonly LogEntry[]): number {
  return entries.reduce((count, entry) => count + partCountOf(entry), 0);
}

/** Undefined: there is no such record. Of two entries with one ID, which deletions alone can lead to, the one added last. */
export function placeOf(recordId: number, entries: readonly LogEntry[]): RecordPlace | undefined {
  const slot = Math.floor((recordId - 1) / PARTS);
  const part = (recordId - 1) % PARTS;
  const index = entries.findLastIndex((entry) => slotOf(entry) === slot);
  const entry = entries[index];
  return entry !== undefined && part < partCountOf(entry) ? { index, part } : undefined;
}

export function firstPlace(entries: readonly LogEntry[]): RecordPlace | undefined {
  return entries.length === 0 ? undefined : { index: 0, part: 0 };
}

export function lastPlace(entries: readonly LogEntry[]): RecordPlace | undefined {
  const entry = entries.at(-1);
  return entry === undefined ? undefined : { index: entries.length - 1, part: partCountOf(entry) - 1 };
}

/** Undefined behind the last. */
export function placeAfter({ index, part }: RecordPlace, entries: readonly LogEntry[]): RecordPlace | undefined {
  const entry = entries[index];
  if (entry !== undefined && part + 1 < partCountOf(entry)) return { index, part: part + 1 };
  return index + 1 < entries.length ? { index: index + 1, part: 0 } : undefined;
}

function slotOf(entry: LogEntry): number {
  return (entry.id - 1) % CYCLE;
}
