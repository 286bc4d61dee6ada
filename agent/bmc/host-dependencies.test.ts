import { expect, it } from 'vitest';
import { systemClock } from '@groundcrew/controller-runtime';
import { hostDependencies } from './host-dependencies.ts';

it("resolves names with the system's resolver", async () => {
  const { resolve } = hostDependencies(systemClock);
  expect(await resolve('localhost')).toEqual(expect.arrayContaining([expect.stringMatching(/^(127\.0\.0\.1|::1)$/)]));
});

it('refuses loopback addresses unless they are allowed', () => {
  expect(hostDependencies(systemClock).allowsLoopback).toBe(false);
  expect(hostDependencies(systemClock, { allowsLoopback: true }).allowsLoopback).toBe(true);
});
