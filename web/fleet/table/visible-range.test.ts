import { expect, it } from 'vitest';
import { visibleRange } from './visible-range.ts';

it.each([
  ['all of a short table', 5, 200, { first: 0, end: 5 }],
  ['the beginning, and some more', 1000, 200, { first: 0, end: 27 }],
  ['the middle', 1000, -20_000, { first: 488, end: 532 }],
  ['the end', 1000, -39_400, { first: 973, end: 1000 }],
  ['the first rows of a table below the window', 1000, 5000, { first: 0, end: 12 }],
  ['the last rows of a table above the window', 1000, -80_000, { first: 988, end: 1000 }],
  ['an empty table', 0, 200, { first: 0, end: 0 }],
])('renders %s', (_what, count, top, range) => {
  expect(visibleRange(count, 40, top, 800)).toEqual(range);
});
