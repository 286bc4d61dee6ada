import { describe, expect, it } from 'vitest';
import { sameQuantity } from './quantity.ts';

describe('sameQuantity', () => {
  it.each([
    ['1000m', '1'],
    ['1024Mi', '1Gi'],
    ['1e3', '1k'],
    ['0.5', '500m'],
    ['.5', '500m'],
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
