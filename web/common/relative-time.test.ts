import { expect, it } from 'vitest';
import { relativeTime } from './relative-time.ts';

const HOUR = 3_600_000;

it.each([
  [0, 'just now'],
  [-44_000, 'just now'],
  [-50_000, '1 minute ago'],
  [50_000, 'in 1 minute'],
  [-60_000, '1 minute ago'],
  [-5 * 60_000, '5 minutes ago'],
  [-26 * HOUR, '1 day ago'],
  [61 * 24 * HOUR, 'in 2 months'],
  [-800 * 24 * HOUR, '2 years ago'],
])('%i ms: %s', (distance, words) => {
  expect(relativeTime(1e12 + distance, 1e12)).toBe(words);
});
