import type { LogEntry } from '../../../protocols/machine/index.ts';
import type { ObservedState } from '../observed-state/index.ts';
import { CAPACITY, type LogContent } from './log-content.ts';
import { makeRoom } from './make-room.ts';

/** An entry that is not stored yet, with a key that it keeps while its ID may have to become another. */
export interface Appended {
  readonly key: number;
  readonly entry: LogEntry;
  /** It tells what was seen of the machine, which another agent may have told already. */
  readonly isSeen: boolean;
}

/** What was done to a log since it was read: made on whatever it is by then, it undoes nothing of what others did to it. */
export interface PendingChanges {
  /** Entries that were stored when somebody cleared the log are gone up to this ID; 0: none. */
  readonly clearedThrough: number;
  readonly clears: number;
  /** Stored entries that were taken out one by one. */
  readonly removed: ReadonlySet<number>;
  /** Oldest first. */
  readonly appended: readonly Appended[];
  /** Highest ID given, were it of an entry that is gone; 0: none. */
  readonly lastId: number;
  readonly lastKey: number;
  /** When something was added and erased last, ms since 1970. */
  readonly addedAt: number | undefined;
  readonly erasedAt: number | undefined;
  /** Entries of `appended` have made room for others. */
  readonly hasOverflowed: boolean;
  readonly seen: ObservedState | undefined;
}

export const NO_CHANGES: PendingChanges = {
  clearedThrough: 0,
  clears: 0,
  removed: new Set(),
  appended: [],
  lastId: 0,
  lastKey: 0,
  addedAt: undefined,
  erasedAt: undefined,
  hasOverflowed: false,
  seen: undefined,
};

export function hasChanges({ appended, removed, clears, seen }: PendingChanges): boolean {
  return appended.length > 0 || removed.size > 0 || clears > 0 || seen !== undefined;
}

export function withEntry(pending: PendingChanges, entry: LogEntry, isSeen = false): PendingChanges {
  const lastKey = pending.lastKey + 1;
  const appended = [...pending.appended, { key: lastKey, entry, isSeen }];
  return {
    ...pending,
    appended: appended.slice(-CAPACITY),
    hasOverflowed: pending.hasOverflowed || appended.length > CAPACITY,
    lastId: entry.id,
    lastKey,
    addedAt: entry.at,
  };
}

/** Without what was seen of the machine. */
export function withoutObservedState(pending: PendingChanges): PendingChanges {
  return { ...pending, appended: pending.appended.filter(({ isSeen }) => !isSeen), seen: undefined };
}

/** @param at ms since 1970 */
export function withoutEntry(pending: PendingChanges, id: number, at: number): PendingChanges {
  const appended = pending.appended.filter(({ entry }) => entry.id !== id);
  const wasStored = appended.length === pending.appended.length;
  const removed = wasStored ? new Set([...pending.removed, id]) : pending.removed;
  return { ...pending, appended, removed, erasedAt: at };
}

/** Takes out what whoever clears the log can know of, and nothing that others are adding meanwhile. */
export function cleared(pending: PendingChanges, stored: LogContent, at: number): PendingChanges {
  return {
    ...pending,
    clearedThrough: stored.lastId,
    clears: pending.clears + 1,
    removed: new Set(),
    appended: [],
    erasedAt: at,
    hasOverflowed: false,
  };
}

/** The same changes on a log that has come to be `stored`: entries whose IDs others have given by now get the next ones. */
export function rebased(pending: PendingChanges, stored: LogContent): PendingChanges {
  let last = stored.lastId;
  const appended = pending.appended.map(({ entry, ...rest }) => {
    last = Math.max(last + 1, entry.id);
    return { ...rest, entry: entry.id === last ? entry : { ...entry, id: last } };
  });
  return { ...pending, appended, lastId: Math.max(pending.lastId, last) };
}

/** The log `stored` with the changes made to it. */
export function applied(pending: PendingChanges, stored: LogContent): LogContent {
  const { appended, lastId } = rebased(pending, stored);
  const { clearedThrough, clears, removed, addedAt, erasedAt } = pending;
  const kept = stored.entries.filter(({ id }) => id > clearedThrough && !removed.has(id));
  const wanted = [...kept, ...appended.map(({ entry }) => entry)];
  const entries = makeRoom(wanted);
  const isTooLong = entries.length < wanted.length;
  return {
    entries,
    lastId: Math.max(stored.lastId, lastId),
    lastAdded: latest(addedAt, stored.lastAdded),
    lastErased: latest(erasedAt, stored.lastErased),
    hasOverflowed: isTooLong || pending.hasOverflowed || (clears === 0 && stored.hasOverflowed),
    seen: pending.seen ?? stored.seen,
    writes: stored.writes,
  };
}

/** What is left to do of `pending` when its state of some time ago, `written`, has been stored. */
export function settled(pending: PendingChanges, written: PendingChanges): PendingChanges {
  const wanted = new Set(pending.appended.map(({ key }) => key));
  const keys = new Set(written.appended.map(({ key }) => key));
  const unwanted = written.appended.filter(({ key }) => !wanted.has(key)).map(({ entry }) => entry.id);
  const clears = pending.clears - written.clears;
  return {
    ...pending,
    clears,
    clearedThrough: clears > 0 ? pending.clearedThrough : 0,
    removed: new Set([...pending.removed].filter((id) => !written.removed.has(id)).concat(unwanted)),
    appended: pending.appended.filter(({ key }) => !keys.has(key)),
    seen: pending.seen === written.seen ? undefined : pending.seen,
  };
}

function latest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
}
