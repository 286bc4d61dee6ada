import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '@groundcrew/controller-runtime/testing';
import { Sessions } from './sessions.ts';

const HOUR = 3_600_000;

function setUp() {
  const keys: string[] = [];
  const clock = new FakeClock();
  const sessions = new Sessions({ clock, random: randomBytes, onKey: (key) => keys.push(key) });
  /** Opens a session with the newest key. */
  const open = (): string => sessions.open(keys.at(-1) ?? '');
  return { sessions, clock, keys, open };
}

describe('a link', () => {
  it('opens one session, and another link follows it', () => {
    const { sessions, keys, open } = setUp();
    const token = open();
    expect(sessions.find(token)).toMatchObject({ id: 1 });
    expect(keys).toHaveLength(2);
    expect(() => sessions.open(keys[0] ?? '')).toThrow(expect.objectContaining({ status: 403 }));
    expect(sessions.find(open())).toMatchObject({ id: 2 });
  });

  it('has 256 random bits, as a token has', () => {
    const { keys, open } = setUp();
    for (const secret of [open(), ...keys]) expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
  });

  it('is refused for the rest of a minute after ten wrong keys', async () => {
    const { sessions, clock, open } = setUp();
    for (let count = 0; count < 10; count += 1)
      expect(() => sessions.open('wrong')).toThrow(expect.objectContaining({ status: 403 }));
    expect(open).toThrow(expect.objectContaining({ status: 429 }));
    await clock.advance(60_000);
    expect(sessions.find(open())).toBeDefined();
  });
});

describe('a session', () => {
  it('is found by its token alone', () => {
    const { sessions, keys, open } = setUp();
    open();
    expect(['', 'x', keys[0], keys[1], undefined].map((token) => sessions.find(token))).toEqual(
      Array(5).fill(undefined),
    );
  });

  it('ends after 12 h without use', async () => {
    const { sessions, clock, open } = setUp();
    const token = open();
    await clock.advance(12 * HOUR - 1);
    const session = sessions.find(token);
    await clock.advance(12 * HOUR - 1);
    session?.touch();
    await clock.advance(12 * HOUR - 1);
    expect(sessions.find(token)).toBe(session);
    await clock.advance(12 * HOUR);
    expect([sessions.find(token), session?.signal.aborted]).toEqual([undefined, true]);
  });

  it('ends at once, with what it has open', () => {
    const { sessions, open } = setUp();
    const [token, other] = [open(), open()];
    const session = sessions.find(token);
    sessions.end(token);
    expect([session?.signal.aborted, sessions.find(token)]).toEqual([true, undefined]);
    expect(sessions.find(other)?.signal.aborted).toBe(false);
  });

  it('makes room for a 17th if it was not used for the longest time', async () => {
    const { sessions, clock, open } = setUp();
    const tokens: string[] = [];
    for (let count = 0; count < 16; count += 1) {
      tokens.push(open());
      await clock.advance(1000);
    }
    const [first = '', second = ''] = tokens;
    sessions.find(first);
    open();
    expect([sessions.find(first) === undefined, sessions.find(second) === undefined]).toEqual([false, true]);
  });
});
