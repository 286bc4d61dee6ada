import { describe, expect, it } from 'vitest';
import type { PowerClient } from './clients/power-client.ts';
import { errorsOf, isClean, quantiles } from './results.ts';
import { aResult } from './report/a-result.ts';
import type { Sight } from './observer.ts';
import type { Attempt } from './storm.ts';

const client = { tool: 'IPMI' } as PowerClient;
const attempt: Attempt = { vm: 'vm-0001', client, isCycled: false, requested: 1, answered: 2, isOn: true, errors: [] };
const sight: Sight = { instances: new Set(['a']), earlier: new Set(), running: 3, leased: 4 };

describe('errors of a VM', () => {
  it('do not occur if it was started once and has its lease', () => {
    expect(errorsOf(attempt, sight)).toEqual([]);
  });

  it.each([
    ['lost: it was never started', attempt, { instances: new Set<string>(), earlier: new Set<string>() }],
    ['lost: it was started and never ran', attempt, { instances: new Set(['a']), earlier: new Set<string>() }],
    [
      'lost: it runs without the address of its lease',
      attempt,
      { instances: new Set(['a']), earlier: new Set<string>(), running: 3 },
    ],
    ['doubled: it was started 2 times', attempt, { ...sight, instances: new Set(['a', 'b']) }],
    ['its BMC says that it is off', { ...attempt, isOn: false }, sight],
    ['power on: no answer', { ...attempt, errors: [{ phase: 'power on' as const, reason: 'no answer' }] }, sight],
  ])('say: %s', (reason, one, seen) => {
    expect(errorsOf(one, seen)).toEqual([{ vm: 'vm-0001', reason }]);
  });
});

it('a run is clean only if every VM was started once and has its lease', () => {
  const clean = aResult();
  expect(isClean(clean)).toBe(true);
  for (const fault of [{ errors: [{ vm: 'vm-0001', reason: 'x' }] }, { starts: 3 }, { startedOnce: 1 }, { leased: 1 }])
    expect(isClean({ ...clean, ...fault })).toBe(false);
});

it('quantiles are values of the list', () => {
  const values = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect(quantiles(values)).toEqual({ p50: 50, p90: 90, p99: 99, most: 100 });
  expect(quantiles([7])).toEqual({ p50: 7, p90: 7, p99: 7, most: 7 });
  expect(quantiles([]).p50).toBeNaN();
});
