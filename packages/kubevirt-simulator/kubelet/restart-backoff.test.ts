import { describe, expect, it } from 'vitest';
import { RestartBackoff, type Run } from './restart-backoff.ts';

function aRun(change: Partial<Run> = {}): Run {
  return { ran: 100, ready: 0, killed: false, ...change };
}

describe('the delay between restarts', () => {
  it('is none at first, then grows to five minutes', () => {
    const backoff = new RestartBackoff();
    expect(Array.from({ length: 8 }, () => backoff.next(aRun()) / 1000)).toEqual([0, 10, 20, 40, 80, 160, 300, 300]);
  });

  it('starts over after ten minutes of running', () => {
    const backoff = new RestartBackoff();
    backoff.next(aRun());
    backoff.next(aRun());
    expect(backoff.next(aRun({ ran: 600_000 }))).toBe(0);
    expect([backoff.next(aRun()), backoff.next(aRun())]).toEqual([0, 10_000]);
  });

  it('is none, however often, for what had been ready for a second and was killed', () => {
    const backoff = new RestartBackoff();
    const killed = aRun({ ran: 1500, ready: 1000, killed: true });
    expect(Array.from({ length: 4 }, () => backoff.next(killed))).toEqual([0, 0, 0, 0]);
    expect([backoff.next(aRun()), backoff.next(aRun())]).toEqual([0, 10_000]);
  });

  it('grows for what is killed before it works', () => {
    const backoff = new RestartBackoff();
    const killed = aRun({ ran: 60_000, ready: 999, killed: true });
    expect([backoff.next(killed), backoff.next(killed)]).toEqual([0, 10_000]);
  });

  it('grows for what ends by itself soon after its start, ready or not, and not for what ends later', () => {
    const backoff = new RestartBackoff();
    const soon = aRun({ ran: 9_999, ready: 9_000 });
    expect([soon, soon, aRun({ ran: 10_000 }), soon].map((run) => backoff.next(run))).toEqual([0, 10_000, 0, 20_000]);
  });
});
