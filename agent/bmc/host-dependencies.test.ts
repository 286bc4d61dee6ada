import { expect, it } from 'vitest';
import { systemClock } from '@groundcrew/controller-runtime';
import { hostDependencies } from './host-dependencies.ts';

it('finds names as the system finds them', async () => {
  const { resolve } = hostDependencies(systemClock);
  expect(await resolve('localhost')).toEqual(expect.arrayContaining([expect.stringMatching(/^(127\.0\.0\.1|::1)$/)]));
});

it('keeps clients from this machine itself unless the process is told otherwise', () => {
  expect(hostDependencies(systemClock).allowsLoopback).toBe(false);
  expect(hostDependencies(systemClock, { allowsLoopback: true }).allowsLoopback).toBe(true);
});
