import { describe, expect, it } from 'vitest';
import { parseQuantity, sameQuantity } from './quantity.ts';

describe('parseQuantity', () => {
  it.each<[string | number, number]>([
    ['4Gi', 2 ** 32],
    ['1.5Mi', 1.5 * 2 ** 20],
    ['-1Gi', -(2 ** 30)],
    ['2G', 2e9],
    ['250m', 0.25],
    ['12345678n', 0.012345678],
    ['1e3', 1000],
    ['.5', 0.5],
    ['0', 0],
    [7, 7],
  ])('parses %s', (quantity, amount) => {
    expect(parseQuantity(quantity)).toBe(amount);
  });

  it.each([undefined, '', 'Gi', '1 Gi', '1gi', '1GB', '1..2', 'NaN', {}])('returns undefined for %j', (value) => {
    expect(parseQuantity(value)).toBeUndefined();
  });
});

describe('sameQuantity', () => {
  it.each([
    ['1000m', '1'],
    ['1024Mi', '1Gi'],
    ['1e3', '1k'],
    ['0.5', '500m'],
    ['0.009', '9m'],
    ['2E', '2e18'],
    [2, '2'],
  ])('treats %s and %s as equal', (a, b) => {
    expect(sameQuantity(a, b)).toBe(true);
  });

  it.each([
    ['1G', '1Gi'],
    ['1', '1k'],
    ['none', 'many'],
    [undefined, '1'],
    [{}, '1'],
  ])('treats %s and %s as different', (a, b) => {
    expect(sameQuantity(a, b)).toBe(false);
  });
});
