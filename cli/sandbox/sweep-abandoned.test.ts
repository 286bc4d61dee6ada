import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writePidFile, kubeconfigsOfRunning, sweepAbandoned } from './sweep-abandoned.ts';

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'sweep-'));
});
afterEach(() => {
  rmSync(parent, { recursive: true });
});

/** A folder with one file in it. */
function aFolder(name: string): string {
  const directory = join(parent, name);
  mkdirSync(join(directory, 'kubelet'), { recursive: true });
  return directory;
}

/** The PID of a process that has ended. */
function deadPid(): number {
  return spawnSync('true').pid;
}

describe('sweepAbandoned', () => {
  it('removes the folders of sandboxes that have ended, with their content', async () => {
    const folders = [aFolder('groundcrew-a'), aFolder('groundcrew-b')];
    for (const folder of folders) await writePidFile(folder, { pid: deadPid() });
    expect((await sweepAbandoned(parent)).sort()).toEqual(folders);
    expect(folders.map((folder) => existsSync(folder))).toEqual([false, false]);
  });

  it('keeps the folder of a running sandbox', async () => {
    const folder = aFolder('groundcrew-a');
    await writePidFile(folder);
    expect(await sweepAbandoned(parent)).toEqual([]);
    expect(existsSync(folder)).toBe(true);
  });

  it('keeps folders with another name or without a pid file of a sandbox', async () => {
    aFolder('groundcrew-none');
    writeFileSync(join(aFolder('groundcrew-plain'), 'sandbox.pid'), String(deadPid()));
    writeFileSync(join(aFolder('groundcrew-other'), 'sandbox.pid'), JSON.stringify({ program: 'x', pid: deadPid() }));
    await writePidFile(aFolder('groundcrew-group'), { pid: 0 });
    await writePidFile(aFolder('other-a'), { pid: deadPid() });
    expect(await sweepAbandoned(parent)).toEqual([]);
  });

  it('keeps a folder whose process is in another PID namespace', async () => {
    const content = { program: 'groundcrew sandbox', pid: deadPid(), pidNamespace: 'pid:[1]' };
    writeFileSync(join(aFolder('groundcrew-a'), 'sandbox.pid'), JSON.stringify(content));
    expect(await sweepAbandoned(parent)).toEqual([]);
  });

  it('does not follow symbolic links', async () => {
    const target = aFolder('precious');
    await writePidFile(target, { pid: deadPid() });
    symlinkSync(target, join(parent, 'groundcrew-a'));
    expect(await sweepAbandoned(parent)).toEqual([]);
    expect(existsSync(target)).toBe(true);
  });

  it('does nothing if the temporary folder does not exist', async () => {
    expect(await sweepAbandoned(join(parent, 'none'))).toEqual([]);
  });
});

it('finds the kubeconfigs of running sandboxes', async () => {
  await writePidFile(aFolder('groundcrew-a'), { kubeconfig: '/a/kubeconfig' });
  await writePidFile(aFolder('groundcrew-starting'));
  await writePidFile(aFolder('groundcrew-gone'), { pid: deadPid(), kubeconfig: '/gone/kubeconfig' });
  expect(await kubeconfigsOfRunning(parent)).toEqual(['/a/kubeconfig']);
});
