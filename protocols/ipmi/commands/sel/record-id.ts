import type { LogEntry, MachineEvent, Requester } from '../../../machine/index.ts';

/** Position of a record: its entry in the machine's log, and its number within the entry, from 0. */
export interface RecordPlace {
  /** Index in the entries, oldest first. */
  index: number;
  part: number;
}

/**
 * Maximum records per entry: the event, its requester, and the source address. Each entry reserves that many IDs, so a record's ID
 * depends only on its entry's ID and does not change when other entries do.
 */
export const PARTS = 3;

/** Number of entries until IDs repeat: record IDs are 0001h to FFFEh. A log with fewer entries has unique IDs. */
const CYCLE = Math.floor(0xfffe / PARTS);

export function recordIdOf(entry: LogEntry, part: number): number {
  return slotOf(entry) * PARTS + part + 1;
}

export function partCountOf({ event }: LogEntry): number {
  return requesterOf(event) === undefined ? 1 : PARTS;
}

/** Total number of records. */
export function recordCountOf(entries: readonly LogEntry[]): number {
  return entries.reduce((count, entry) => count + partCountOf(entry), 0);
}

/** Undefined if there is no such record. If two entries share an ID, possible only after deletions, the newest one. */
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

/** Undefined after the last record. */
export function placeAfter({ index, part }: RecordPlace, entries: readonly LogEntry[]): RecordPlace | undefined {
  const entry = entries[index];
  if (entry !== undefined && part + 1 < partCountOf(entry)) return { index, part: part + 1 };
  return index + 1 < entries.length ? { index: index + 1, part: 0 } : undefined;
}

function slotOf(entry: LogEntry): number {
  return (entry.id - 1) % CYCLE;
}

/** The requester of an event, for additional records; events written by clients stay a single record. */
export function requesterOf(event: MachineEvent): Requester | undefined {
  return event.kind === 'Record' || !('requester' in event) ? undefined : event.requester;
}
