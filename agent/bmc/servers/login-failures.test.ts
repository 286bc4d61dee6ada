import { describe, expect, it } from 'vitest';
import { FailureLimiter } from './login-failures.ts';

function bench(): { limiter: FailureLimiter; clock: { now: number } } {
  const clock = { now: 0 };
  return { limiter: new FailureLimiter(() => clock.now), clock };
}

describe('reports of failed log-ins', () => {
  it('are limited to one a minute per user, source and reason', () => {
    const { limiter, clock } = bench();
    const ask = (user = 'admin', address = '192.0.2.1', reason = 'WrongPassword') =>
      limiter.admits(user, address, reason);
    expect([ask(), ask(), ask('root'), ask('admin', '192.0.2.2'), ask('admin', '192.0.2.1', 'LockedOut')]).toEqual([
      true,
      false,
      true,
      true,
      true,
    ]);
    clock.now = 59_999;
    expect(ask()).toBe(false);
    clock.now = 60_000;
    expect(ask()).toBe(true);
  });

  it('are limited to 30 a minute per reason across all names', () => {
    const { limiter, clock } = bench();
    const flood = (): number =>
      Array.from({ length: 1_000 }, (_, i) => limiter.admits(`user${i}-${clock.now}`, '::1', 'UnknownUser')).filter(
        Boolean,
      ).length;
    expect(flood()).toBe(30);
    expect(limiter.admits('admin', '::1', 'LockedOut')).toBe(true);
    clock.now = 60_000;
    expect(flood()).toBe(30);
  });
});
