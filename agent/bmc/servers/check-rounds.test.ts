import { expect, it, vi } from 'vitest';
import { FakeClock } from '@groundcrew/controller-runtime/testing';
import { CheckRounds } from './check-rounds.ts';

const PERIOD = 5_000;

/** Starts of checks, in ms from the beginning. */
function bench(count: number) {
  const clock = new FakeClock();
  const rounds = new CheckRounds(clock);
  const begun = clock.monotonic();
  const starts: number[] = [];
  const check = (): Promise<boolean> => {
    starts.push(clock.monotonic() - begun);
    return Promise.resolve(true);
  };
  const checks = Array.from({ length: count }, () => rounds.add({ check, period: PERIOD }));
  return { clock, rounds, starts, checks };
}

it('checks at once, and then once in a period', async () => {
  const { clock, starts } = bench(1);
  await clock.advance(2 * PERIOD);
  expect(starts).toEqual([0, PERIOD, 2 * PERIOD]);
});

it('spreads the later checks of many servers: at most 20 in a second', async () => {
  const { clock, starts } = bench(200);
  await clock.advance(0);
  expect(starts).toHaveLength(200);
  await clock.advance(60_000);
  const later = starts.slice(200);
  const gaps = later.slice(1).map((start, index) => start - (later[index] ?? 0));
  expect(Math.min(...gaps)).toBe(50);
  // Each of them every 10 s.
  expect(later.length).toBeGreaterThan(5 * 200);
});

it('checks a server that did not answer before the others that are due', async () => {
  const { clock, rounds } = bench(2_000);
  const failing: number[] = [];
  const check = (): Promise<boolean> => {
    failing.push(clock.monotonic());
    return Promise.resolve(false);
  };
  rounds.add({ check, period: PERIOD });
  await clock.advance(30_000);
  const gaps = failing.slice(1).map((start, index) => start - (failing[index] ?? 0));
  expect(gaps.length).toBeGreaterThan(4);
  expect(Math.max(...gaps)).toBeLessThan(PERIOD + 100);
});

it('ends with its server', async () => {
  const { clock, starts, checks } = bench(3);
  await clock.advance(0);
  for (const each of checks) each.stop();
  await clock.advance(PERIOD);
  expect([starts.length, clock.timers]).toEqual([3, 0]);
});

it('repeats a check that fails after a second, and counts only the second failure', async () => {
  const clock = new FakeClock();
  const onChange = vi.fn();
  let isServed = true;
  const server = new CheckRounds(clock).add({ check: () => Promise.resolve(isServed), period: PERIOD, onChange });
  await clock.advance(0);
  expect([server.answers, onChange.mock.calls.length]).toEqual([true, 1]);
  isServed = false;
  await clock.advance(PERIOD);
  expect(server.answers).toBe(true);
  isServed = true;
  await clock.advance(1_000);
  expect([server.answers, onChange.mock.calls.length]).toEqual([true, 1]);
  isServed = false;
  await clock.advance(PERIOD + 1_000);
  expect([server.answers, onChange.mock.calls.length]).toEqual([false, 2]);
});
