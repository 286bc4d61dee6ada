import type { PowerAction } from './machine.ts';
import type { Requester } from './requester.ts';

/** What a line of the event log is about. That a guest rebooted by itself is not among it: KubeVirt keeps its VMI, and knows nothing of it. */
export type MachineEvent =
  /** The machine was seen to have got, or lost, power. */
  | { kind: 'PowerState'; state: 'On' | 'Off' }
  | { kind: 'PowerAction'; action: PowerAction; outcome: Outcome; requester: Requester }
  /** `target` as people know it (`pxe once`); undefined: the override was cleared. */
  | { kind: 'BootOverride'; target: string | undefined; outcome: Outcome; requester: Requester }
  /** The override was used up, or lapsed, and the machine's own order is back. */
  | { kind: 'BootOverrideEnded'; why: 'Booted' | 'Lapsed' | 'Dropped' }
  /** The machine's own boot order, as people know it (`disk:root, interface:default`); undefined: its platform's order. */
  | { kind: 'BootOrder'; order: string | undefined; outcome: Outcome; requester: Requester }
  | { kind: 'Media'; change: 'Inserted' | 'Ejected'; slot: string; requester?: Requester }
  | { kind: 'LoginFailed'; requester: Requester; why: 'UnknownUser' | 'WrongPassword' | 'LockedOut' | 'Refused' }
  | { kind: 'Watchdog'; action: 'None' | 'Reset' | 'PowerDown' | 'PowerCycle'; use: number }
  | { kind: 'AccountChanged'; account: string; requester: Requester }
  | { kind: 'Cleared'; requester: Requester }
  /**
   * Written by a client: the 13 bytes behind record ID and type (IPMI 2.0 §32), in hex. In types below 0xE0 the first 4 are a
   * time, which gives way to that of the entry.
   */
  | { kind: 'Record'; type: number; body: string; requester: Requester };

export type Outcome = 'Accepted' | 'Refused';

/** One line of a machine's event log, whichever protocol shows it. */
export interface LogEntry {
  /** 1 up, never given twice, not even after the log was cleared. */
  readonly id: number;
  /** ms since 1970 */
  readonly at: number;
  readonly event: MachineEvent;
}

/** A ring: where it is full the oldest make room. It is kept in memory and written to where it outlives the process soon after. */
export interface EventLog {
  /** Entries that it can hold. */
  readonly capacity: number;
  /** Oldest first. */
  entries(): readonly LogEntry[];
  /** ms since 1970; undefined: never. */
  readonly lastAdded: number | undefined;
  readonly lastErased: number | undefined;
  /** Whether entries have made room for others since it was cleared last. */
  readonly hasOverflowed: boolean;
  append(event: MachineEvent): LogEntry;
  /** Takes one entry out; false: there is none of that ID. */
  remove(id: number): boolean;
  /** Takes all entries out, and notes who did. */
  clear(requester: Requester): void;
  /** Tells of each entry that this process appends; returns what ends that. */
  subscribe(listener: (entry: LogEntry) => void): () => void;
}
