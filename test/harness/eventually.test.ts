import { describe, expect, it } from 'vitest';
import { eventually } from './eventually.ts';

describe('eventually', () => {
  it('returns the result of the first successful attempt', async () => {
    let attempts = 0;
    const value = await eventually(
      () => {
        attempts += 1;
        if (attempts < 3) throw new Error('not yet');
        return attempts;
      },
      { interval: 1 },
    );
    expect(value).toBe(3);
  });

  it('throws the last error with the time that it waited', async () => {
    const never = eventually(
      () => {
        throw new Error('still Pending');
      },
      { timeout: 5, interval: 1 },
    );
    await expect(never).rejects.toThrow('still Pending\n(still so after 5 ms)');
  });
});
