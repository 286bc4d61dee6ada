import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entry } from '../testing/arbitraries.ts';
import { cutEvent, decodeEntry, encodeEntry } from './log-codec.ts';

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
