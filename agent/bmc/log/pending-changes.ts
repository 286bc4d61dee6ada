import type { LogEntry } from '../../../protocols/machine/index.ts';
import type { ObservedState } from './observed-state.ts';

/** A pending entry; its key stays the same if its ID changes. */
export interface Appended {
  readonly key: number;
  readonly entry: LogEntry;
  /** It reports a seen change of the machine, which another agent may have logged already. */
  readonly isSeen: boolean;
}

/** Changes of a log since it was read. They can be applied to newer content without undoing the changes of others. */
export interface PendingChanges {
  /** A clear removed the stored entries up to this ID; 0: none. */
  readonly clearedThrough: number;
  readonly clears: number;
  /** Stored entries that were removed individually. */
  readonly removed: ReadonlySet<number>;
  /** Oldest first. */
  readonly appended: readonly Appended[];
  /** Highest ID assigned, also to removed entries; 0: none. */
  readonly lastId: number;
  readonly lastKey: number;
  /** Times of the last addition and the last erasure, ms since 1970. */
  readonly addedAt: number | undefined;
  readonly erasedAt: number | undefined;
  /** Entries of `appended` were dropped for newer ones. */
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

/** Without the entries about seen changes of the machine. */
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

/** Removes the entries visible to the client, and none that others are adding. */
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

/** The same changes based on newer `stored` content: entries whose IDs are taken get the next free ones. */
export function rebased(pending: PendingChanges, stored: LogContent): PendingChanges {
  let last = stored.lastId;
  const appended = pending.appended.map(({ entry, ...rest }) => {
    last = Math.max(last + 1, entry.id);
    return { ...rest, entry: entry.id === last ? entry : { ...entry, id: last } };
  });
  return { ...pending, appended, lastId: Math.max(pending.lastId, last) };
}

/** The log `stored` with the pending changes applied. */
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

/** What remains of `pending` after its earlier state `written` was stored. */
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

/** Maximum number of entries. */
export const CAPACITY = 512;

/** The content of a BMC's event log in its ConfigMap. */
export interface LogContent {
  /** Oldest first, IDs ascending, {@link CAPACITY} at most. */
  readonly entries: readonly LogEntry[];
  /** Highest ID ever assigned; 0: none. */
  readonly lastId: number;
  /** ms since 1970; undefined: never. */
  readonly lastAdded: number | undefined;
  readonly lastErased: number | undefined;
  readonly hasOverflowed: boolean;
  /** State of the machine at its last logged change. */
  readonly seen: ObservedState | undefined;
  /** Names of the last writes: a writer that got no response can see whether it has written. */
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

/** Maximum failed log-ins in a log. Any client can cause them; they must not displace the entries of actions. */
export const MOST_FAILED_LOGINS = CAPACITY / 4;

/** The entries to keep, oldest first. Drops the oldest ones, and failed log-ins sooner. */
export function makeRoom(entries: readonly LogEntry[]): readonly LogEntry[] {
  let surplus = entries.filter(isFailedLogin).length - MOST_FAILED_LOGINS;
  const kept = entries.filter((entry) => {
    const goes = surplus > 0 && isFailedLogin(entry);
    if (goes) surplus -= 1;
    return !goes;
  });
  return kept.slice(-CAPACITY);
}

function isFailedLogin({ event }: LogEntry): boolean {
  return event.kind === 'LoginFailed';
}
