import { describe, expect, it } from 'vitest';
import { bytesOf } from './quantity.ts';

describe('the bytes of a quantity', () => {
  it.each([
    ['1Gi', 2 ** 30],
    ['1.5Mi', 1.5 * 2 ** 20],
    ['100M', 1e8],
    ['5e8', 5e8],
    ['123', 123],
    ['1500m', 2],
    ['0', 0],
    ['-1Gi', -(2 ** 30)],
  ])('%s', (quantity, bytes) => {
    expect(bytesOf(quantity)).toBe(bytes);
  });

  it.each(['', 'Gi', '1GB', 'one', '1..2'])('of %j are not to be had', (text) => {
    expect(bytesOf(text)).toBeUndefined();
  });
});
