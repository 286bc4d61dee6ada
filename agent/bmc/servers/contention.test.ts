import { expect, it } from 'vitest';
import { Contention } from './contention.ts';

it('counts BMCs that use the processor, for one to two seconds', () => {
  let now = 500;
  const contention = new Contention(() => now);
  expect(contention.users).toBe(0);
  const [one, other] = [{}, {}];
  for (const user of [one, other, one]) contention.note(user);
  expect(contention.users).toBe(2);
  now = 1_600;
  contention.note(one);
  expect(contention.users).toBe(2);
  now = 2_600;
  expect(contention.users).toBe(1);
  now = 9_000;
  expect(contention.users).toBe(0);
});
