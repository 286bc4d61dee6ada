import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entry } from '../testing/arbitraries.ts';
import { cutEvent, decodeLog, encodeLog } from './log-codec.ts';
import { EMPTY_LOG, type LogContent } from './pending-changes.ts';

const time = fc.option(fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) }), { nil: undefined });

const content: fc.Arbitrary<LogContent> = fc
  .record({
    entries: fc.uniqueArray(entry, { selector: ({ id }) => id, maxLength: 30 }),
    beyond: fc.nat(10),
    lastAdded: time,
    lastErased: time,
    hasOverflowed: fc.boolean(),
    seen: fc.option(
      fc.record(
        { power: fc.constantFrom('On' as const, 'Off' as const), vmi: fc.uuid(), media: fc.array(fc.string()) },
        { requiredKeys: ['power'] },
      ),
      { nil: undefined },
    ),
    writes: fc.array(fc.string(), { maxLength: 8 }),
  })
  .map(({ beyond, entries, ...rest }) => {
    const sorted = entries.map((one) => ({ ...one, event: cutEvent(one.event) })).sort((a, b) => a.id - b.id);
    const last = sorted.at(-1);
    return {
      ...rest,
      entries: sorted,
      lastId: (last?.id ?? 0) + beyond,
      lastAdded: rest.lastAdded ?? last?.at,
    };
  });

const line = (id: number) => `{"id":${id},"at":"2026-01-01T00:00:00.000Z","kind":"BootOverrideEnded","why":"Booted"}`;

describe('an event log in a ConfigMap', () => {
  it('comes back as it was written', () => {
    fc.assert(
      fc.property(content, (given) => {
        expect(decodeLog(encodeLog(given))).toEqual({ content: given, unreadable: [] });
      }),
    );
  });

  it('is empty where there is nothing', () => {
    expect(decodeLog({})).toEqual({ content: EMPTY_LOG, unreadable: [] });
  });

  it('never fails, whatever people made of it, and loses no line silently', () => {
    const lines = fc.array(fc.oneof(fc.string(), fc.json(), fc.nat(9).map(line)));
    fc.assert(
      fc.property(lines, fc.oneof(fc.string(), fc.json()), (given, about) => {
        const log = given.join('\n');
        const { content: read, unreadable } = decodeLog({ log, about });
        const meant = log.split('\n').filter((one) => one.trim() !== '');
        expect(read.entries.length + unreadable.length).toBe(meant.length);
        expect(meant).toEqual(expect.arrayContaining([...unreadable]));
      }),
    );
  });

  it('keeps what parses, in order, and gives no ID again though the rest is lost', () => {
    const { content: read, unreadable } = decodeLog({
      log: `${line(9)}\nHello!\n${line(4)}\n${line(9)}\n`,
      about: '{',
    });
    expect(read.entries.map(({ id }) => id)).toEqual([4, 9]);
    expect(read.lastId).toBe(9);
    expect(unreadable).toEqual(['Hello!', line(9)]);
  });

  it('keeps the lines that are no entries under a key of their own, the newest where there are too many', () => {
    expect(encodeLog(EMPTY_LOG)).not.toHaveProperty('unreadable');
    expect(encodeLog(EMPTY_LOG, ['b', 'c'], 'a')['unreadable']).toBe('a\nb\nc');
    expect(encodeLog(EMPTY_LOG, ['x'.repeat(20_000), 'end'])['unreadable']).toMatch(/^x{16380}\nend$/);
  });
});
