import { describe, expect, it } from 'vitest';
import { median, table } from './measurement.ts';

describe('median', () => {
  it.each([
    [[3], 3],
    [[1, 3], 2],
    [[9, 1, 5], 5],
    [[4, 1, 3, 2], 2.5],
  ])('of %j is %d', (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  it('needs a value', () => {
    expect(() => median([])).toThrow(RangeError);
  });
});

it('shows median, extremes and runs', () => {
  expect(table([{ what: 'start', times: [10, 12.4, 30] }]).at(-1)).toBe('| start | 12 ms | 10 ms | 30 ms | 3 |');
});
