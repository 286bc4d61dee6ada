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

const requester = { protocol: 'IPMI', user: 'admin', address: '192.0.2.7' } as const;

describe('an entry of the event log', () => {
  it('is one line that people can read', () => {
    const at = Date.UTC(2026, 0, 2, 3, 4, 5, 6);
    expect(
      encodeEntry({ id: 7, at, event: { kind: 'PowerAction', action: 'On', outcome: 'Accepted', requester } }),
    ).toBe(
      '{"id":7,"at":"2026-01-02T03:04:05.006Z","kind":"PowerAction","action":"On","outcome":"Accepted",' +
        '"requester":{"protocol":"IPMI","user":"admin","address":"192.0.2.7"}}',
    );
  });

  it('comes back as it was written, whatever clients put into it', () => {
    fc.assert(
      fc.property(entry, (given) => {
        const written = { ...given, event: cutEvent(given.event) };
        const line = encodeEntry(written);
        expect(line).not.toMatch(/[\n\r]/);
        expect(decodeEntry(line)).toEqual(written);
      }),
    );
  });

  it('takes so little room that a full log fits in a ConfigMap', () => {
    fc.assert(
      fc.property(entry, (given) => {
        const line = encodeEntry({ ...given, event: cutEvent(given.event) });
        expect(Buffer.byteLength(line) * 512).toBeLessThan(900 * 1024);
      }),
    );
  });

  it.each([
    ['no JSON', '{"id":'],
    ['no object', '7'],
    ['null', 'null'],
    ['an ID that cannot be', '{"id":0,"at":"2026-01-01T00:00:00Z","kind":"BootOverrideEnded","why":"Booted"}'],
    ['no time', '{"id":1,"at":"yesterday","kind":"BootOverrideEnded","why":"Booted"}'],
    ['an unknown kind', '{"id":1,"at":"2026-01-01T00:00:00Z","kind":"Exploded"}'],
    ['a name of every object', '{"id":1,"at":"2026-01-01T00:00:00Z","kind":"toString"}'],
    ['a field that is missing', '{"id":1,"at":"2026-01-01T00:00:00Z","kind":"PowerState"}'],
    ['a field that cannot be', '{"id":1,"at":"2026-01-01T00:00:00Z","kind":"PowerState","state":"Half"}'],
    ['a requester that is none', '{"id":1,"at":"2026-01-01T00:00:00Z","kind":"Cleared","requester":{"user":"a"}}'],
  ])('is none where there is %s', (_, line) => {
    expect(decodeEntry(line)).toBeUndefined();
  });

  it('is read without what people wrote beside it', () => {
    const line = '{"id":1,"at":"2026-01-01T00:00:00Z","kind":"BootOverrideEnded","why":"Booted","note":"by me"}';
    expect(decodeEntry(line)?.event).toEqual({ kind: 'BootOverrideEnded', why: 'Booted' });
  });
});

describe('a text in an entry', () => {
  it('is cut where it is long, wherever it stands', () => {
    const event = cutEvent({
      kind: 'AccountChanged',
      account: 'a'.repeat(64),
      requester: { ...requester, user: 'u'.repeat(65) },
    });
    expect(event).toMatchObject({ account: 'a'.repeat(64), requester: { user: `${'u'.repeat(63)}…` } });
  });
});
