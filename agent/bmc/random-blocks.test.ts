import { describe, expect, it } from 'vitest';
import { randomBlocks } from './random-blocks.ts';

describe('randomBlocks', () => {
  it('returns each byte once and in order, and draws a new block if the rest is too short', () => {
    const draws: number[] = [];
    const random = randomBlocks((size) => Buffer.alloc(size, draws.push(size)));
    const pieces = Array.from({ length: 4 }, () => random(1_500));
    expect(pieces.map((piece) => [piece.length, piece[0], piece[1_499]])).toEqual([
      [1_500, 1, 1],
      [1_500, 1, 1],
      [1_500, 2, 2],
      [1_500, 2, 2],
    ]);
    expect(draws).toEqual([4_096, 4_096]);
    expect(new Set(pieces.map(({ byteOffset, buffer }) => [byteOffset, buffer])).size).toBe(4);
  });

  it('passes requests larger than a block through', () => {
    const random = randomBlocks((size) => Buffer.alloc(size));
    expect(random(10_000)).toHaveLength(10_000);
  });
});
