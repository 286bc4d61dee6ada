import { describe, expect, it } from 'vitest';
import { amountOf } from './amount-of.ts';

describe('amountOf', () => {
  it.each<[string | number, number]>([
    ['4Gi', 2 ** 32],
    ['1500Mi', 1500 * 2 ** 20],
    ['2G', 2e9],
    ['250m', 0.25],
    ['12345678n', 0.012345678],
    ['1e3', 1000],
    ['.5', 0.5],
    [7, 7],
  ])('reads %s', (quantity, amount) => {
    expect(amountOf(quantity)).toBeCloseTo(amount, 9);
  });

  it.each([undefined, '', 'Gi', '1 Gi', '1gi', 'NaN'])('says that %j is no quantity', (quantity) => {
    expect(amountOf(quantity)).toBeUndefined();
  });
});
