import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { descendantsOf, isAlive } from './descendants.ts';

describe('descendantsOf', () => {
  it('finds children of children, and isAlive detects their end', async () => {
    const shell = spawn('sh', ['-c', 'sleep 30 & echo up; wait'], {
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    await once(shell.stdout, 'data');
    const sleepers = () => descendantsOf(process.pid).filter(({ command }) => command === 'sleep 30');
    await expect.poll(sleepers).toHaveLength(1);
    const found = sleepers();
    expect(found.map(isAlive)).toEqual([true]);

    process.kill(-(shell.pid ?? 0), 'SIGKILL');
    await once(shell, 'close');
    await expect.poll(() => found.map(isAlive)).toEqual([false]);
  });
});
