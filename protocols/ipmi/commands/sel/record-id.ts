import type { LogEntry, MachineEvent, Requester } from '../../../machine/index.ts';

/** Position of a record: its entry in the machine's log, and its number within the entry, from 0. */
export interface RecordPlace {
  /** Index in the entries, oldest first. */
  index: number;
  part: number;
}

/** Record IDs are 0001h to FFFEh. */
const LAST_ID = 0xfffe;

/**
 * The records of log entries and their IDs: one record for each entry, or with OEM records up to three, the event, its requester and the
 * source address. Each entry reserves as many IDs, so a record's ID depends only on its entry's ID and does not change when other
 * entries do. A log with fewer entries than IDs has unique IDs.
 */
export class RecordIds {
  /** Maximum records per entry. */
  readonly parts: 1 | 3;

  constructor(hasOemRecords: boolean) {
    this.parts = hasOemRecords ? 3 : 1;
  }

  idOf(entry: LogEntry, part: number): number {
    return this.#slotOf(entry) * this.parts + part + 1;
  }

  partCountOf({ event }: LogEntry): number {
    return requesterOf(event) === undefined ? 1 : this.parts;
  }

  /** Total number of records. */
  countOf(entries: readonly LogEntry[]): number {
    return entries.reduce((count, entry) => count + this.partCountOf(entry), 0);
  }

  /** Undefined if there is no such record. If two entries share an ID, possible only after deletions, the newest one. */
  placeOf(recordId: number, entries: readonly LogEntry[]): RecordPlace | undefined {
    const slot = Math.floor((recordId - 1) / this.parts);
    const part = (recordId - 1) % this.parts;
    const index = entries.findLastIndex((entry) => this.#slotOf(entry) === slot);
    const entry = entries[index];
    return entry !== undefined && part < this.partCountOf(entry) ? { index, part } : undefined;
  }

  lastPlace(entries: readonly LogEntry[]): RecordPlace | undefined {
    const entry = entries.at(-1);
    return entry === undefined ? undefined : { index: entries.length - 1, part: this.partCountOf(entry) - 1 };
  }

  /** Undefined after the last record. */
  placeAfter({ index, part }: RecordPlace, entries: readonly LogEntry[]): RecordPlace | undefined {
    const entry = entries[index];
    if (entry !== undefined && part + 1 < this.partCountOf(entry)) return { index, part: part + 1 };
    return index + 1 < entries.length ? { index: index + 1, part: 0 } : undefined;
  }

  #slotOf(entry: LogEntry): number {
    return (entry.id - 1) % Math.floor(LAST_ID / this.parts);
  }
}

export function firstPlace(entries: readonly LogEntry[]): RecordPlace | undefined {
  return entries.length === 0 ? undefined : { index: 0, part: 0 };
}

/** The requester of an event, for OEM records; events written by clients stay a single record. */
export function requesterOf(event: MachineEvent): Requester | undefined {
  return event.kind === 'Record' || !('requester' in event) ? undefined : event.requester;
}
