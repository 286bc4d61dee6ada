import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AccessBench, ADDRESS, basic, OTHER_ADDRESS } from '../testing/access-bench.ts';

/** The visible result of a log-in attempt. */
function seen(bench: AccessBench, user: string, password: string, address: string): object {
  try {
    return { account: bench.access.authenticate(basic(user, password), address).account.name };
  } catch (error) {
    const { status, messages, headers } = error as { status?: number; messages?: unknown; headers?: unknown };
    return { status, messages, headers };
  }
}

const anAddress = fc.constantFrom(ADDRESS, OTHER_ADDRESS);
const aStep = fc.oneof(
  { weight: 6, arbitrary: fc.record({ user: fc.constantFrom('chief', 'admin', 'made-up'), address: anAddress }) },
  { weight: 1, arbitrary: fc.record({ user: fc.constant('reader'), address: anAddress, isRight: fc.constant(true) }) },
  { weight: 2, arbitrary: fc.record({ wait: fc.constantFrom(500, 1_000, 9_000, 61_000, 3_600_001) }) },
);

describe('a client that guesses passwords', () => {
  it('cannot distinguish users that exist from users that do not', async () => {
    const property = fc.asyncProperty(fc.array(aStep, { maxLength: 80 }), async (steps) => {
      const [there, gone] = [new AccessBench(), new AccessBench()];
      await gone.change('chief', { name: '' });
      for (const step of steps) {
        if ('wait' in step) {
          for (const bench of [there, gone]) bench.time += step.wait;
          continue;
        }
        const password = 'isRight' in step ? `${step.user}-pass` : 'wrong';
        const [one, other] = [there, gone].map((bench) => seen(bench, step.user, password, step.address));
        expect(other).toEqual(one);
      }
    });
    await fc.assert(property, { numRuns: 150 });
  });

  it('is delayed at a shared source for all users', () => {
    const bench = new AccessBench();
    bench.access.authenticate(basic('reader'), ADDRESS);
    for (let i = 0; i < 6; i += 1) seen(bench, 'made-up', 'wrong', ADDRESS);
    expect(seen(bench, 'made-up', 'wrong', ADDRESS)).toMatchObject({ status: 429, headers: { 'Retry-After': '1' } });
  });

  it('cannot avoid the lockout of a user with invented names', () => {
    const bench = new AccessBench();
    seen(bench, 'made-up', 'wrong', ADDRESS);
    for (let i = 0; i < 5; i += 1) seen(bench, 'admin', 'wrong', ADDRESS);
    for (let i = 0; i < 3_000; i += 1) seen(bench, `made-up-${i}`, 'wrong', ADDRESS);
    expect(seen(bench, 'admin', 'admin-pass', ADDRESS)).toMatchObject({ status: 401 });
    expect(bench.access.logins.isLockedOut(2)).toBe(true);
  });
});
