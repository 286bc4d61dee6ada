import type { LogEntry } from '../../../protocols/machine/index.ts';
import type { ObservedState } from '../observed-state/index.ts';

/** Entries that a log holds. */
export const CAPACITY = 512;

/** A BMC's event log as it stands in its ConfigMap. */
export interface LogContent {
  /** Oldest first, IDs ascending, {@link CAPACITY} at most. */
  readonly entries: readonly LogEntry[];
  /** Highest ID that was ever given; 0: none was. */
  readonly lastId: number;
  /** ms since 1970; undefined: never. */
  readonly lastAdded: number | undefined;
  readonly lastErased: number | undefined;
  readonly hasOverflowed: boolean;
  /** What the machine was seen as when the last entry about that was made. */
  readonly seen: ObservedState | undefined;
  /** Names of the last writes, so that a writer whose answer got lost knows whether it has written. */
  readonly writes: readonly string[];
}

export const EMPTY_LOG: LogContent = {
  entries: [],
  lastId: 0,
  lastAdded: undefined,
  lastErased: undefined,
  hasOverflowed: false,
  seen: undefined,
  writes: [],
};
