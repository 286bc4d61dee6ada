import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { LoginGuard, type LoginAttempt, type Obstacle } from './login-guard.ts';
import { LoginSources } from './login-sources.ts';

let at: Bench;

beforeEach(() => {
  at = bench();
});

const USER = 2;
const OTHER_USER = 3;
const SOURCE = '192.0.2.1';
const OTHER_SOURCE = '192.0.2.2';

interface Bench {
  guard: LoginGuard;
  now: number;
  try: (result: 'right' | 'wrong', user?: number, source?: string) => Obstacle | 'tried';
  wrong: (times: number, user?: number, source?: string) => (Obstacle | 'tried')[];
}

function bench(threshold = 5, seconds = 60): Bench {
  const guard = new LoginGuard({ threshold, seconds });
  const made: Bench = {
    guard,
    now: 1_000_000,
    try: (result, user = USER, source = SOURCE) => {
      const attempt = guard.admit(user, source, made.now);
      if (typeof attempt === 'string') return attempt;
      if (result === 'right') attempt.succeeded();
      else attempt.failed();
      return result === 'wrong' && attempt.obstacle !== undefined ? attempt.obstacle : 'tried';
    },
    wrong: (times, user, source) => Array.from({ length: times }, () => made.try('wrong', user, source)),
  };
  return made;
}

describe('failed log-ins from one source', () => {
  it('lock the user out at this source at the threshold, until the lockout ends', () => {
    expect(at.wrong(15)).toEqual([...Array<string>(5).fill('tried'), ...Array<string>(10).fill('LockedOut')]);
    at.now += 59_999;
    expect(at.try('right')).toBe('LockedOut');
    at.now += 1;
    expect(at.try('right')).toBe('tried');
  });

  it('do not lock the user out at other sources, and lock out no other user', () => {
    at.wrong(5);
    expect([at.try('right', USER, OTHER_SOURCE), at.try('right', OTHER_USER)]).toEqual(['tried', 'tried']);
  });

  it('are forgotten after some time without a wrong password', () => {
    at.wrong(4);
    at.now += 60_001;
    expect(at.wrong(5)).toEqual(Array<string>(5).fill('tried'));
  });

  it('never lock out with a threshold of 0', () => {
    at = bench(0);
    expect(new Set(at.wrong(1_000))).toEqual(new Set(['tried']));
    expect(at.guard.size).toBe(0);
  });

  it('lock out the whole /64 of an IPv6 address', () => {
    for (let host = 1; host <= 5; host += 1) at.try('wrong', USER, `2001:db8::${host}`);
    expect(at.try('right', USER, '2001:db8::ffff')).toBe('LockedOut');
    expect(at.try('right', USER, '2001:db8:0:1::1')).toBe('tried');
  });
});

describe('a user that has logged in from a source lately', () => {
  beforeEach(() => {
    at.try('right');
  });

  it('is admitted at once whatever a neighbour behind the same address guesses, for an hour', () => {
    at.wrong(40);
    expect(at.try('right')).toBe('tried');
    at.now += 3_600_000;
    at.wrong(40);
    expect(at.try('right')).toBe('tried');
    at.now += 3_600_001;
    expect(at.wrong(6).at(-1)).toBe('LockedOut');
  });

  it('is told apart from the neighbour only by the right password', () => {
    at.wrong(5);
    expect(at.guard.admit(USER, SOURCE, at.now)).toMatchObject({ obstacle: 'Throttled' });
    expect(at.guard.wait(USER, SOURCE, at.now)).toBe(1_000);
    at.now += 1_000;
    expect(at.guard.admit(USER, SOURCE, at.now)).toMatchObject({ obstacle: undefined });
  });

  it('is held back after 1,000 guesses in an hour: online guessing stays slow', () => {
    at.wrong(1_000);
    expect(at.try('right')).toBe('Throttled');
    at.now += 60_000;
    expect(at.try('right')).toBe('tried');
  });

  it('is known by other proofs too, as a session', () => {
    at = bench();
    at.guard.remember(USER, SOURCE, at.now);
    at.wrong(40);
    expect(at.try('right')).toBe('tried');
  });
});

describe('a shared source', () => {
  it.each<[string, () => void]>([
    ['another user has logged in from it recently', () => at.try('right', OTHER_USER)],
    ['several users have tried to log in from it', () => at.try('wrong', OTHER_USER)],
  ])('throttles instead of locking out: %s', (_name, before) => {
    before();
    expect(at.wrong(6).slice(-2)).toEqual(['tried', 'Throttled']);
    at.now += 1_000;
    expect(at.try('right')).toBe('tried');
  });

  it('doubles the delay after each wrong password, up to 8 s', () => {
    at.try('right');
    at.wrong(5);
    const waits = Array.from({ length: 6 }, () => {
      const before = at.now;
      while (at.try('wrong') === 'Throttled') at.now += 100;
      return at.now - before;
    });
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
  });

  it('counts as shared for an hour after a log-in', () => {
    at.try('right');
    at.now += 3_600_001;
    expect(at.wrong(6).at(-1)).toBe('LockedOut');
  });
});

describe('unfinished attempts', () => {
  it('are limited to 8 at once from a source without good log-ins, and count as wrong passwords after a second', () => {
    const begin = () => at.guard.admit(USER, SOURCE, at.now);
    const begun = Array.from({ length: 9 }, begin);
    expect(begun.filter((attempt) => typeof attempt !== 'string')).toHaveLength(8);
    expect(begun[8]).toBe('Throttled');
    at.now += 1_001;
    expect(begin()).toBe('LockedOut');
  });

  it('are limited to 64 from a source with good log-ins', () => {
    at.try('right');
    const begun = Array.from({ length: 65 }, () => at.guard.admit(USER, SOURCE, at.now));
    expect(begun.filter((attempt) => typeof attempt !== 'string')).toHaveLength(64);
  });

  it('count once, whatever is reported afterwards', () => {
    at = bench(2);
    const attempt = at.guard.admit(USER, SOURCE, at.now) as LoginAttempt;
    attempt.failed();
    attempt.failed();
    expect(at.try('right')).toBe('tried');
  });
});

describe('failed log-ins from many sources', () => {
  it('throttle all sources except those of good log-ins', () => {
    at.try('right', USER, OTHER_SOURCE);
    const outcomes = Array.from({ length: 100 }, (_, i) => at.try('wrong', USER, `198.51.100.${i}`));
    expect(outcomes.filter((outcome) => outcome === 'tried')).toHaveLength(51);
    expect(at.try('right', USER, OTHER_SOURCE)).toBe('tried');
    expect(at.try('right', OTHER_USER, '198.51.100.200')).toBe('tried');
    at.now += 60_000;
    expect(at.try('wrong', USER, '198.51.100.201')).toBe('tried');
  });
});

describe('any sequence of attempts', () => {
  const step = fc.record({
    user: fc.integer({ min: 2, max: 16 }),
    source: fc.integer({ min: 0, max: 5_000 }).map((n) => `10.0.${n >> 8}.${n & 0xff}`),
    wait: fc.integer({ min: 0, max: 20_000 }),
    then: fc.constantFrom('succeeds', 'fails', 'goes silent'),
  });

  it('admits at most as many wrong passwords per user and source as threshold and throttle allow', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 2_000 }), fc.boolean()), { maxLength: 300 }), (steps) => {
        at = bench();
        const begun = at.now;
        let tried = 0;
        for (const [wait, isElsewhere] of steps) {
          at.now += wait;
          if (isElsewhere) at.try('right', OTHER_USER);
          else if (at.try('wrong') === 'tried') tried += 1;
        }
        // 5 at once, then one per second at shared sources and 5 per minute at others.
        expect(tried).toBeLessThanOrEqual(10 + (at.now - begun) / 1_000);
      }),
    );
  });

  it('stays within the memory limits', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 500, maxLength: 3_000 }), (steps) => {
        const guard = new LoginGuard({ threshold: 5, seconds: 60 });
        let now = 0;
        for (const { user, source, wait, then } of steps) {
          now += wait;
          const attempt = guard.admit(user, source, now);
          if (typeof attempt === 'string') continue;
          if (then === 'succeeds') attempt.succeeded();
          if (then === 'fails') attempt.failed();
        }
        expect(guard.size).toBeLessThanOrEqual(1024);
      }),
      { numRuns: 20 },
    );
  });
});

describe('the state of a user', () => {
  it('tells whether the user is locked out at any source, and the remaining time at a source', () => {
    expect([at.guard.isLockedOut(USER, at.now), at.guard.wait(USER, SOURCE, at.now)]).toEqual([false, 0]);
    at.wrong(5);
    at.now += 1_000;
    expect([at.guard.isLockedOut(USER, at.now), at.guard.wait(USER, SOURCE, at.now)]).toEqual([true, 59_000]);
    expect([at.guard.isLockedOut(OTHER_USER, at.now), at.guard.wait(USER, OTHER_SOURCE, at.now)]).toEqual([false, 0]);
    at.now += 59_000;
    expect([at.guard.isLockedOut(USER, at.now), at.guard.wait(USER, SOURCE, at.now)]).toEqual([false, 0]);
  });

  it('is not locked out while the user only has to wait', () => {
    at.try('right');
    at.wrong(5);
    expect([at.guard.isLockedOut(USER, at.now), at.guard.wait(USER, SOURCE, at.now)]).toEqual([false, 1_000]);
  });

  it('is reset by unlock', () => {
    at.wrong(5);
    at.wrong(5, OTHER_USER, OTHER_SOURCE);
    at.guard.unlock(USER);
    expect(at.wrong(5)).toEqual(Array<string>(5).fill('tried'));
    expect(at.guard.isLockedOut(OTHER_USER, at.now)).toBe(true);
  });
});

describe('a policy', () => {
  it('can set how long wrong passwords are remembered', () => {
    at.guard.policy = { threshold: 5, seconds: 60, rememberedFor: 10 };
    at.wrong(4);
    at.now += 10_001;
    expect(at.wrong(4)).toEqual(Array<string>(4).fill('tried'));
  });

  it('can change at any time', () => {
    at.wrong(3);
    at.guard.policy = { threshold: 2, seconds: 30 };
    expect([...at.wrong(1), ...at.wrong(1)]).toEqual(['tried', 'LockedOut']);
    expect(at.guard.wait(USER, SOURCE, at.now)).toBe(30_000);
  });
});

describe('users that do not exist', () => {
  it('use no more memory than the limit, under any names', () => {
    const guard = new LoginGuard<string>({ threshold: 5, seconds: 60 });
    for (let i = 0; i < 5_000; i += 1) {
      const attempt = guard.admit(`user ${i}`, SOURCE, i);
      if (typeof attempt !== 'string') attempt.failed();
    }
    expect(guard.size).toBe(1024);
  });

  it('do not make a source shared if `countsUsers` is false', () => {
    const guard = new LoginGuard<string>({ threshold: 2, seconds: 60 }, { countsUsers: false });
    const results = ['made up', 'admin', 'admin', 'admin'].map((user) => {
      const attempt = guard.admit(user, SOURCE, 0);
      if (typeof attempt !== 'string') attempt.failed();
      return attempt;
    });
    expect(results[3]).toBe('LockedOut');
  });
});

describe('guards with shared sources', () => {
  it('both treat a source as good after a log-in at one of them', () => {
    const sources = new LoginSources<number | string>();
    const one = new LoginGuard({ threshold: 1, seconds: 60 }, { sources });
    const other = new LoginGuard({ threshold: 1, seconds: 60 }, { sources });
    (one.admit(USER, SOURCE, 0) as LoginAttempt).succeeded();
    (other.admit(OTHER_USER, SOURCE, 1) as LoginAttempt).failed();
    expect(other.admit(OTHER_USER, SOURCE, 2)).toBe('Throttled');
  });
});
