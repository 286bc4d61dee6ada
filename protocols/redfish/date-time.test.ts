import { expect, it } from 'vitest';
import { dateTime } from './date-time.ts';

it('formats a time in UTC, to the second', () => {
  expect(dateTime(Date.UTC(2026, 10, 22, 1, 2, 3, 999))).toBe('2026-11-22T01:02:03Z');
});
