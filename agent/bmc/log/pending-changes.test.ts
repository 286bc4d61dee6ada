import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LogEntry, MachineEvent } from '../../../protocols/machine/index.ts';
import {
  applied,
  CAPACITY,
  cleared,
  EMPTY_LOG,
  hasChanges,
  type LogContent,
  makeRoom,
  MOST_FAILED_LOGINS,
  NO_CHANGES,
  type PendingChanges,
  rebased,
  settled,
  withEntry,
  withoutEntry,
} from './pending-changes.ts';

type Step = { do: 'append' } | { do: 'remove'; index: number } | { do: 'clear' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('append') }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove'), index: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('clear') }) },
); // fast-check widens the constants

let marks = 0;

/** An entry with a mark that stays when its ID changes. */
function marked(id: number): LogEntry {
  marks += 1;
  return { id, at: marks, event: { kind: 'BootOverrideEnded', why: 'Booted' } };
}

function does(taken: Step, pending: PendingChanges, stored: LogContent): PendingChanges {
  const shown = applied(pending, stored);
  if (taken.do === 'append') return withEntry(pending, marked(shown.lastId + 1));
  if (taken.do === 'clear') return cleared(pending, stored, 1);
  const victim = shown.entries[taken.index % Math.max(1, shown.entries.length)];
  return victim === undefined ? pending : withoutEntry(pending, victim.id, 1);
}

function after(steps: readonly Step[], stored: LogContent): PendingChanges {
  return steps.reduce((pending, taken) => does(taken, pending, stored), NO_CHANGES);
}

const marksOf = ({ entries }: LogContent) => entries.map(({ at }) => at);

function logOf(count: number): LogContent {
  const entries = Array.from({ length: count }, (_, index) => marked(index + 1));
  return { ...EMPTY_LOG, entries, lastId: count };
}

describe('pending changes of a log', () => {
  it('read as they will be stored', () => {
    const stored = logOf(3);
    const pending = withoutEntry(withEntry(NO_CHANGES, marked(4)), 2, 7);
    expect(applied(pending, stored).entries.map(({ id }) => id)).toEqual([1, 3, 4]);
    expect(applied(pending, stored)).toMatchObject({ lastId: 4, lastErased: 7 });
    expect(applied(NO_CHANGES, stored)).toEqual({ ...stored, hasOverflowed: false });
  });

  it('are empty at first and after they are stored', () => {
    expect(hasChanges(NO_CHANGES)).toBe(false);
    const pending = withEntry(NO_CHANGES, marked(1));
    expect(hasChanges(pending)).toBe(true);
    expect(hasChanges(settled(pending, pending))).toBe(false);
  });

  it('renumber entries whose IDs another agent has used, and lose no entries', () => {
    fc.assert(
      fc.property(fc.nat(4), fc.array(step), fc.array(step), (count, ours, theirs) => {
        const stored = logOf(count);
        const pending = after(ours, stored);
        const other = applied(after(theirs, stored), stored);
        const both = applied(rebased(pending, other), other);
        const ids = both.entries.map(({ id }) => id);
        expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
        expect(both.lastId).toBeGreaterThanOrEqual(Math.max(other.lastId, ids.at(-1) ?? 0));
        // Expected: all stored and added entries that neither agent removed.
        const base = new Set(marksOf(stored));
        const mine = marksOf(applied(pending, stored));
        const his = marksOf(other);
        const expected = [
          ...his.filter((mark) => !base.has(mark) || mine.includes(mark)),
          ...mine.filter((mark) => !base.has(mark)),
        ];
        expect(marksOf(both)).toEqual(expected);
      }),
    );
  });

  it('keep changes made during a write', () => {
    fc.assert(
      fc.property(fc.nat(4), fc.array(step), fc.array(step), (count, before, during) => {
        const stored = logOf(count);
        const written = after(before, stored);
        const pending = during.reduce((given, taken) => does(taken, given, stored), written);
        const shown = applied(pending, stored);
        const now = applied(written, stored);
        expect(applied(settled(pending, written), now)).toEqual(shown);
        expect(hasChanges(settled(written, written))).toBe(false);
      }),
    );
  });

  it('never reuse an ID', () => {
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        let stored: LogContent = EMPTY_LOG;
        let pending = NO_CHANGES;
        const given: number[] = [];
        for (const [index, taken] of steps.entries()) {
          const { lastId } = applied(pending, stored);
          pending = does(taken, pending, stored);
          if (taken.do === 'append') given.push(lastId + 1);
          if (index % 3 === 2) {
            stored = applied(pending, stored);
            pending = settled(pending, pending);
          }
        }
        expect(new Set(given).size).toBe(given.length);
        expect(applied(pending, stored).lastId).toBe(given.at(-1) ?? 0);
      }),
    );
  });

  it('clear only entries visible to the client, and none that another agent adds', () => {
    const stored = logOf(2);
    const pending = cleared(withEntry(NO_CHANGES, marked(3)), stored, 9);
    const other = applied(withEntry(NO_CHANGES, marked(3)), stored);
    expect(marksOf(applied(rebased(pending, other), other))).toEqual(marksOf(other).slice(-1));
  });

  it('drop the oldest entries, and report the overflow until the log is cleared', () => {
    const stored = logOf(CAPACITY - 1);
    let pending = withEntry(NO_CHANGES, marked(CAPACITY));
    expect(applied(pending, stored).hasOverflowed).toBe(false);
    pending = withEntry(pending, marked(CAPACITY + 1));
    const full = applied(pending, stored);
    expect(full.hasOverflowed).toBe(true);
    expect(full.entries.map(({ id }) => id)).toEqual(Array.from({ length: CAPACITY }, (_, index) => index + 2));
    expect(applied(NO_CHANGES, full).hasOverflowed).toBe(true);
    expect(applied(cleared(NO_CHANGES, full, 1), full)).toMatchObject({ hasOverflowed: false, entries: [] });
  });

  it('stay bounded while they cannot be stored', () => {
    let pending = NO_CHANGES;
    for (let id = 1; id <= CAPACITY + 88; id += 1) pending = withEntry(pending, marked(id));
    expect(pending.appended).toHaveLength(CAPACITY);
    expect(applied(pending, EMPTY_LOG)).toMatchObject({ lastId: CAPACITY + 88, hasOverflowed: true });
  });
});

const requester = { protocol: 'IPMI', user: 'guess', address: '192.0.2.7' } as const;

function entries(count: number, event: MachineEvent, firstId = 1): LogEntry[] {
  return Array.from({ length: count }, (_, index) => ({ id: firstId + index, at: 0, event }));
}

const failed: MachineEvent = { kind: 'LoginFailed', requester, why: 'WrongPassword' };
const done: MachineEvent = { kind: 'PowerState', state: 'On' };

describe('a full log', () => {
  it('drops its oldest entries', () => {
    const kept = makeRoom(entries(CAPACITY + 3, done));
    expect([kept.length, kept[0]?.id]).toEqual([CAPACITY, 4]);
  });

  it('keeps actions, however many log-ins fail afterwards', () => {
    const kept = makeRoom([...entries(10, done), ...entries(5000, failed, 11)]);
    expect(kept.filter(({ event }) => event.kind === 'PowerState')).toHaveLength(10);
    expect(kept).toHaveLength(10 + MOST_FAILED_LOGINS);
    expect(kept.at(-1)?.id).toBe(5010);
  });
});
