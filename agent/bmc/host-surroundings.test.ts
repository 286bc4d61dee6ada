import { expect, it } from 'vitest';
import { systemClock } from '@groundcrew/controller-runtime';
import { hostSurroundings } from './host-surroundings.ts';

it('finds names as the system finds them', async () => {
  const { resolve } = hostSurroundings(systemClock);
  expect(await resolve('localhost')).toEqual(expect.arrayContaining([expect.stringMatching(/^(127\.0\.0\.1|::1)$/)]));
});

it('keeps clients from this machine itself unless the process is told otherwise', () => {
  expect(hostSurroundings(systemClock).allowsLoopback).toBe(false);
  expect(hostSurroundings(systemClock, { allowsLoopback: true }).allowsLoopback).toBe(true);
});
