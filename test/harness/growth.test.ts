import { describe, expect, it } from 'vitest';
import { growthOf } from './growth.ts';

const samplesOf = (...series: number[]) => series.map((bytes) => new Map([['agent 1', bytes]]));

describe('growthOf', () => {
  it('is what a leak adds from sample to sample', () => {
    expect(growthOf(samplesOf(0, 500, 600, 700, 800, 900)).get('agent 1')).toEqual({
      last: 900,
      samples: 6,
      growth: 100,
    });
  });

  it('does not count what grows at first, or once', () => {
    expect(growthOf(samplesOf(0, 500, 900, 900, 900, 1900, 1900, 1900)).get('agent 1')?.growth).toBe(0);
  });

  it('says nothing of processes that lived for few samples', () => {
    expect(growthOf([...samplesOf(1, 2, 3), new Map([['agent 2', 1]])]).size).toBe(0);
  });
});
