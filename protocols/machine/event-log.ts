import type { PowerAction, Requester } from './machine.ts';

/** What an entry of the event log reports. A reboot from inside the guest is not reported: the hypervisor does not see it. */
export type MachineEvent =
  /** The machine's power state was seen to change. */
  | { kind: 'PowerState'; state: 'On' | 'Off' }
  | { kind: 'PowerAction'; action: PowerAction; outcome: Outcome; requester: Requester }
  /** `target` in readable form (`pxe once`); undefined: the override was cleared. */
  | { kind: 'BootOverride'; target: string | undefined; outcome: Outcome; requester: Requester }
  /** The override was used or has expired; the machine's own boot order applies again. */
  | { kind: 'BootOverrideEnded'; why: 'Booted' | 'Lapsed' | 'Dropped' }
  /** The machine's own boot order in readable form (`disk:root, interface:default`); undefined: the platform's default order. */
  | { kind: 'BootOrder'; order: string | undefined; outcome: Outcome; requester: Requester }
  | { kind: 'Media'; change: 'Inserted' | 'Ejected'; slot: string; requester?: Requester }
  | { kind: 'LoginFailed'; requester: Requester; why: 'UnknownUser' | 'WrongPassword' | 'LockedOut' | 'Refused' }
  | { kind: 'Watchdog'; action: 'None' | 'Reset' | 'PowerDown' | 'PowerCycle'; use: number }
  | { kind: 'AccountChanged'; account: string; requester: Requester }
  | { kind: 'Cleared'; requester: Requester }
  /**
   * Written by a client: the 13 bytes after record ID and record type (IPMI 2.0 §32), in hex. For types below 0xE0 the first 4
   * bytes are a timestamp; the time of the entry replaces it.
   */
  | { kind: 'Record'; type: number; body: string; requester: Requester };

/** `Unknown`: it was given up without an answer of the platform, and may be done. */
export type Outcome = 'Accepted' | 'Refused' | 'Unknown';

/** One entry of a machine's event log, independent of the protocol that shows it. */
export interface LogEntry {
  /** Starts at 1. Never reused, not even after the log was cleared. */
  readonly id: number;
  /** ms since 1970 */
  readonly at: number;
  readonly event: MachineEvent;
}

/** A ring buffer: when full, a new entry replaces the oldest. Kept in memory and written to persistent storage soon after each change. */
export interface EventLog {
  /** Maximum number of entries. */
  readonly capacity: number;
  /** Oldest first. */
  entries(): readonly LogEntry[];
  /** ms since 1970; undefined: never. */
  readonly lastAdded: number | undefined;
  readonly lastErased: number | undefined;
  /** Whether entries were overwritten since the log was last cleared. */
  readonly hasOverflowed: boolean;
  append(event: MachineEvent): LogEntry;
  /** Removes one entry; false if no entry has this ID. */
  remove(id: number): boolean;
  /** Removes all entries and records the requester. */
  clear(requester: Requester): void;
  /** Calls the listener for each entry that this process appends; returns the function that unsubscribes. */
  subscribe(listener: (entry: LogEntry) => void): () => void;
}
