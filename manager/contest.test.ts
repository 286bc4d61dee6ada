import { describe, expect, it } from 'vitest';
import { Contest, PATIENCE } from './contest.ts';

const HOUR = 3_600_000;

/** Writes whenever that is allowed, and is undone at once. @returns the times of the writes */
function contend(
  contest: Contest<'status'>,
  until: number,
  between: (now: number) => void = () => undefined,
): number[] {
  const writes: number[] = [];
  for (let now = 0; now <= until; now += 500) {
    if (!contest.allows('status', now)) continue;
    contest.wrote('status', writes.length > 0, now);
    writes.push(now);
    between(now);
  }
  return writes;
}

describe('a contest for what the manager writes', () => {
  it('makes the writes more and more seldom, up to one in ten minutes', () => {
    const contest = new Contest<'status'>();
    const writes = contend(contest, 2 * HOUR);
    const pauses = writes.slice(1).map((at, index) => (at - (writes[index] ?? 0)) / 1000);
    expect(pauses.slice(0, PATIENCE + 3)).toEqual([...Array<number>(PATIENCE).fill(0.5), 1, 2, 4]);
    expect(pauses.at(-1)).toBe(600);
    expect(writes.length).toBeLessThan(30);
    expect(contest.isOn()).toBe(true);
    expect(contest.dueIn(writes.at(-1) ?? 0)).toBe(600_000);
  });

  it('is not ended by writes of its own, nor by a moment in which nothing is undone', () => {
    const contest = new Contest<'status'>();
    const writes = contend(contest, HOUR, (now) => {
      contest.wrote('status', false, now);
      contest.stands('status', now + 1);
    });
    expect(writes.length).toBeLessThan(25);
  });

  it('is over when nothing was undone for a pause, and at least for ten seconds', () => {
    const contest = new Contest<'status'>();
    const last = contend(contest, 4000).at(-1) ?? 0;
    let now = last;
    for (let wait = contest.dueIn(now); wait !== undefined; wait = contest.dueIn(now)) {
      now += wait;
      contest.stands('status', now);
    }
    expect([contest.isOn(), now - last]).toEqual([false, 10_000]);
  });

  it('is not begun by writes of other contents, nor by those of many parts', () => {
    const contest = new Contest<string>();
    for (let now = 0; now < 100; now += 1) {
      contest.wrote('status', false, now);
      contest.wrote(`child ${now}`, true, now);
    }
    expect([contest.isOn(), contest.allows('status', 100), contest.dueIn(100)]).toEqual([false, true, undefined]);
  });

  it('is not begun by a user who undoes a write from time to time', () => {
    const contest = new Contest<'service'>();
    for (let minute = 0; minute < 20; minute += 1) contest.wrote('service', true, minute * 60_000);
    expect(contest.isOn()).toBe(false);
  });

  it('is not begun by writes that the API server refuses', () => {
    const contest = new Contest<'service'>();
    for (let now = 0; now < 100; now += 1) {
      contest.wrote('service', true, now);
      contest.refused('service');
    }
    expect(contest.isOn()).toBe(false);
  });
});
