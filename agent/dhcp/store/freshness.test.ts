import { describe, expect, it } from 'vitest';
import { isFresh } from './freshness.ts';

const watch = (opened: number, heard: number) => ({ opened, heard });

describe('freshness', () => {
  it('takes all watches to be open', () => {
    expect(isFresh([watch(0, 5000), watch(0, 5000)], 5000)).toBe(true);
    expect(isFresh([watch(0, 5000), undefined], 5000)).toBe(false);
  });

  it('takes a second after a watch was opened: what was missed comes first', () => {
    expect(isFresh([watch(4001, 4001)], 5000)).toBe(false);
    expect(isFresh([watch(4000, 4000)], 5000)).toBe(true);
  });

  it('does not end in the two minutes after which a silent watch is opened anew: bookmarks are not guaranteed', () => {
    expect(isFresh([watch(0, 0)], 121_000)).toBe(true);
  });

  it('ends when the server is not heard for 130 seconds', () => {
    expect(isFresh([watch(0, 0)], 130_000)).toBe(true);
    expect(isFresh([watch(0, 0)], 130_001)).toBe(false);
  });
});
