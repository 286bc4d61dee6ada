import { describe, expect, it } from 'vitest';
import { maxUnavailableOf, policyOf, ROLLOUT_DEFAULTS, RolloutDefaultsError } from './policy.ts';

describe('the policy of a roll-out', () => {
  it("is the roll-out's own, else that of the installation", () => {
    expect(policyOf({ maxUnavailable: 3, paused: true }, ROLLOUT_DEFAULTS)).toEqual({
      paused: true,
      maxUnavailable: 3,
      minReady: 10_000,
      deadline: 300_000,
      attempt: 1,
    });
  });

  it('has a number or a percentage of agents', () => {
    expect([maxUnavailableOf('3'), maxUnavailableOf('20%')]).toEqual([3, '20%']);
    for (const text of ['', 'all', '20 %', '-1']) expect(() => maxUnavailableOf(text)).toThrow(RolloutDefaultsError);
  });
});
