import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withLock } from './lock.ts';

describe('withLock', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'groundcrew-lock-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('runs one holder at a time', async () => {
    let inside = 0;
    const most = await Promise.all(
      [1, 2].map(() =>
        withLock(join(folder, 'lock'), async () => {
          inside += 1;
          const seen = inside;
          await new Promise(setImmediate);
          inside -= 1;
          return seen;
        }),
      ),
    );
    expect(most).toEqual([1, 1]);
  });

  it('releases the lock after failed work', async () => {
    const failure = withLock(join(folder, 'lock'), () => Promise.reject(new Error('broken')));
    await expect(failure).rejects.toThrow('broken');
    expect(await withLock(join(folder, 'lock'), () => Promise.resolve('in'))).toBe('in');
  });

  it('takes over a lock whose holder has died', async () => {
    const lock = join(folder, 'lock');
    mkdirSync(lock);
    // Above the maximum PID of the kernel.
    writeFileSync(join(lock, 'pid'), '4194305');
    expect(await withLock(lock, () => Promise.resolve('in'))).toBe('in');
  });
});
