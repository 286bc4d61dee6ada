import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entry } from '../testing/arbitraries.ts';
import { cutEvent, decodeEntry, decodeLog, encodeEntry, encodeLog } from './log-codec.ts';
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
  it('is decoded as it was encoded', () => {
    fc.assert(
      fc.property(content, (given) => {
        expect(decodeLog(encodeLog(given))).toEqual({ content: given, unreadable: [] });
      }),
    );
  });

  it('is empty without data', () => {
    expect(decodeLog({})).toEqual({ content: EMPTY_LOG, unreadable: [] });
  });

  it('never throws for edited data, and loses no line', () => {
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

  it('keeps valid lines in order, and does not reuse an ID if `about` is lost', () => {
    const { content: read, unreadable } = decodeLog({
      log: `${line(9)}\nHello!\n${line(4)}\n${line(9)}\n`,
      about: '{',
    });
    expect(read.entries.map(({ id }) => id)).toEqual([4, 9]);
    expect(read.lastId).toBe(9);
    expect(unreadable).toEqual(['Hello!', line(9)]);
  });

  it('keeps the newest invalid lines under a separate key', () => {
    expect(encodeLog(EMPTY_LOG)).not.toHaveProperty('unreadable');
    expect(encodeLog(EMPTY_LOG, ['b', 'c'], 'a')['unreadable']).toBe('a\nb\nc');
    expect(encodeLog(EMPTY_LOG, ['x'.repeat(20_000), 'end'])['unreadable']).toMatch(/^x{16380}\nend$/);
  });
});

const requester = { protocol: 'IPMI', user: 'admin', address: '192.0.2.7' } as const;

describe('an entry of the event log', () => {
  it('is one readable line', () => {
    const at = Date.UTC(2026, 0, 2, 3, 4, 5, 6);
    expect(
      encodeEntry({ id: 7, at, event: { kind: 'PowerAction', action: 'On', outcome: 'Accepted', requester } }),
    ).toBe(
      '{"id":7,"at":"2026-01-02T03:04:05.006Z","kind":"PowerAction","action":"On","outcome":"Accepted",' +
        '"requester":{"protocol":"IPMI","user":"admin","address":"192.0.2.7"}}',
    );
  });

  it('is decoded as it was encoded, with any text of clients', () => {
    fc.assert(
      fc.property(entry, (given) => {
        const written = { ...given, event: cutEvent(given.event) };
        const line = encodeEntry(written);
        expect(line).not.toMatch(/[\n\r]/);
        expect(decodeEntry(line)).toEqual(written);
      }),
    );
  });

  it('is so short that a full log fits into a ConfigMap', () => {
    fc.assert(
      fc.property(entry, (given) => {
        const line = encodeEntry({ ...given, event: cutEvent(given.event) });
        expect(Buffer.byteLength(line) * 512).toBeLessThan(900 * 1024);
      }),
    );
  });

  it.each([
    ['invalid JSON', '{"id":'],
    ['a number', '7'],
    ['null', 'null'],
    ['an invalid ID', '{"id":0,"at":"2026-01-01T00:00:00Z","kind":"BootOverrideEnded","why":"Booted"}'],
    ['an invalid time', '{"id":1,"at":"yesterday","kind":"BootOverrideEnded","why":"Booted"}'],
    ['an unknown kind', '{"id":1,"at":"2026-01-01T00:00:00Z","kind":"Exploded"}'],
    ['a kind that is a member of every object', '{"id":1,"at":"2026-01-01T00:00:00Z","kind":"toString"}'],
    ['a missing field', '{"id":1,"at":"2026-01-01T00:00:00Z","kind":"PowerState"}'],
    ['an invalid field', '{"id":1,"at":"2026-01-01T00:00:00Z","kind":"PowerState","state":"Half"}'],
    ['an invalid requester', '{"id":1,"at":"2026-01-01T00:00:00Z","kind":"Cleared","requester":{"user":"a"}}'],
  ])('is undefined for %s', (_, line) => {
    expect(decodeEntry(line)).toBeUndefined();
  });

  it('is decoded without unknown fields', () => {
    const line = '{"id":1,"at":"2026-01-01T00:00:00Z","kind":"BootOverrideEnded","why":"Booted","note":"by me"}';
    expect(decodeEntry(line)?.event).toEqual({ kind: 'BootOverrideEnded', why: 'Booted' });
  });
});

describe('a text in an entry', () => {
  it('is truncated in any field', () => {
    const event = cutEvent({
      kind: 'AccountChanged',
      account: 'a'.repeat(64),
      requester: { ...requester, user: 'u'.repeat(65) },
    });
    expect(event).toMatchObject({ account: 'a'.repeat(64), requester: { user: `${'u'.repeat(63)}…` } });
  });
});
