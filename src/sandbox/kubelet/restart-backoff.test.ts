import { describe, expect, it } from 'vitest';
import { RestartBackoff } from './restart-backoff.ts';

describe('the delay between restarts', () => {
  it('is none at first, then grows to five minutes', () => {
    const backoff = new RestartBackoff();
    expect(Array.from({ length: 8 }, () => backoff.next(100) / 1000)).toEqual([0, 10, 20, 40, 80, 160, 300, 300]);
  });

  it('starts over after ten minutes of running', () => {
    const backoff = new RestartBackoff();
    backoff.next(0);
    backoff.next(0);
    expect(backoff.next(600_000)).toBe(0);
    expect(backoff.next(599_999)).toBe(10_000);
  });
});
