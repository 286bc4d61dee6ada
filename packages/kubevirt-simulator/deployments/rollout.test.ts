import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limitsOf, recreate, rollingUpdate, type Share } from './rollout.ts';

function share(name: string, replicas: number, available = replicas): Share {
  return { name, replicas, available };
}

describe('a rolling update', () => {
  const surgeFirst = { replicas: 1, maxSurge: 1, maxUnavailable: 0 };

  it('makes the new pod first, and takes the old one when that is available', () => {
    expect([...rollingUpdate({ ...surgeFirst, current: share('new', 0), old: [share('old', 1)] })]).toEqual([
      ['new', 1],
    ]);
    expect([...rollingUpdate({ ...surgeFirst, current: share('new', 1, 0), old: [share('old', 1)] })]).toEqual([]);
    expect([...rollingUpdate({ ...surgeFirst, current: share('new', 1), old: [share('old', 1)] })]).toEqual([
      ['old', 0],
    ]);
  });

  it('takes old pods that do not serve before it has a new one', () => {
    const stuck = { replicas: 2, maxSurge: 0, maxUnavailable: 1, current: share('new', 0), old: [share('old', 2, 1)] };
    expect([...rollingUpdate(stuck)]).toEqual([['old', 1]]);
  });

  it('scales the current pods down where there are too many', () => {
    expect([...rollingUpdate({ ...surgeFirst, current: share('new', 3), old: [] })]).toEqual([['new', 1]]);
  });

  it('ends with the current pods alone, never has more than the surge allows, nor takes one that is needed', () => {
    const input = fc.record({
      replicas: fc.integer({ min: 0, max: 12 }),
      maxSurge: fc.integer({ min: 0, max: 4 }),
      maxUnavailable: fc.integer({ min: 0, max: 4 }),
      before: fc.integer({ min: 0, max: 12 }),
    });
    fc.assert(
      fc.property(input, ({ replicas, before, ...limits }) => {
        const { maxSurge, maxUnavailable } = limitsOf(replicas, limits);
        let current = share('new', 0);
        let old = share('old', before);
        const most = Math.max(replicas + maxSurge, before);
        const least = Math.min(replicas - maxUnavailable, before);
        for (let step = 0; step < 100; step += 1) {
          const scales = rollingUpdate({ replicas, maxSurge, maxUnavailable, current, old: [old] });
          // New pods are not available at once; old ones go at once.
          current = { ...current, replicas: scales.get('new') ?? current.replicas };
          const left = scales.get('old') ?? old.replicas;
          old = share('old', left);
          expect(current.replicas + old.replicas).toBeLessThanOrEqual(most);
          expect(current.available + old.available).toBeGreaterThanOrEqual(least);
          if (scales.size === 0 && current.available === current.replicas) break;
          if (scales.size === 0) current = share('new', current.replicas);
        }
        expect([current.replicas, old.replicas]).toEqual([replicas, 0]);
      }),
    );
  });
});

describe('a recreation', () => {
  it('takes all old pods, waits until they are gone, and makes the new ones', () => {
    expect([...recreate({ replicas: 2, current: share('new', 0), old: [share('old', 2)] }, true)]).toEqual([
      ['old', 0],
    ]);
    expect([...recreate({ replicas: 2, current: share('new', 0), old: [share('old', 0)] }, true)]).toEqual([]);
    expect([...recreate({ replicas: 2, current: share('new', 0), old: [share('old', 0)] }, false)]).toEqual([
      ['new', 2],
    ]);
  });
});

describe('the limits', () => {
  it('round the surge up and the other down, and are not both 0', () => {
    expect(limitsOf(1, {})).toEqual({ maxSurge: 1, maxUnavailable: 0 });
    expect(limitsOf(10, { maxSurge: '25%', maxUnavailable: '25%' })).toEqual({ maxSurge: 3, maxUnavailable: 2 });
    expect(limitsOf(1, { maxSurge: 0, maxUnavailable: '25%' })).toEqual({ maxSurge: 0, maxUnavailable: 1 });
  });
});
