import { expect, it } from 'vitest';
import { consoleEnd, reconnectDelay } from './close-reason.ts';

it.each([
  [1006, true],
  [1012, true],
  [1013, true],
  [1000, false],
  [1002, false],
  [3003, false],
  [4001, false],
  [4002, false],
  [4003, false],
  [4004, false],
  [4005, false],
])('close code %i: connects again by itself: %s', (code, reconnects) => {
  expect(consoleEnd(code, '').reconnects).toBe(reconnects);
});

it('has the reason of the BMC', () => {
  expect(consoleEnd(4002, 'admin has taken the screen.').text).toBe('admin has taken the screen.');
});

it('waits longer after each attempt, up to a limit', () => {
  expect([0, 1, 2, 10].map(reconnectDelay)).toEqual([1_000, 2_000, 4_000, 15_000]);
});
