import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServerProcess } from './process.ts';

describe('ServerProcess', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'groundcrew-process-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });
  const shell = (script: string) =>
    new ServerProcess({ command: 'sh', args: ['-c', script], log: join(folder, 'log') });
  const never = () => Promise.reject(new Error('not ready'));

  it('returns its exit code, also for a late call', async () => {
    const server = shell('exit 3');
    server.start();
    expect(await server.ended()).toBe(3);
    expect(await server.ended()).toBe(3);
  });

  it('ends by a signal and can start again', async () => {
    const server = shell('trap "exit 7" TERM; echo up; while :; do sleep 0.01; done');
    const up = async () => {
      await expect.poll(() => server.logTail()).toContain('up');
    };
    server.start();
    await server.waitUntil(up, 5000);
    expect(await server.stop()).toBe(7);
    server.start();
    expect(await server.stop('SIGKILL')).toBeNull();
    await server.dispose();
  });

  it('throws with its output if it ends before it is ready', async () => {
    const server = shell('echo "port is taken"; exit 1');
    server.start();
    await expect(server.waitUntil(never, 5000)).rejects.toThrow(/sh ended\nport is taken/);
  });

  it('throws with its output if it is not ready in time', async () => {
    const server = shell('sleep 30');
    server.start();
    await expect(server.waitUntil(never, 1)).rejects.toThrow('sh is not ready after 1 ms');
    await server.dispose();
  });

  it('reports a missing program', async () => {
    const server = new ServerProcess({ command: join(folder, 'nothing'), args: [], log: join(folder, 'log') });
    server.start();
    await expect(server.waitUntil(never, 5000)).rejects.toThrow('ENOENT');
  });
});
