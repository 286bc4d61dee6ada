import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writePidFile } from './pid-file.ts';
import { kubeconfigsOfRunning, sweepAbandoned } from './sweep-abandoned.ts';

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'sweep-'));
});
afterEach(() => {
  rmSync(parent, { recursive: true });
});

/** A folder with something in it. */
function aFolder(name: string): string {
  const directory = join(parent, name);
  mkdirSync(join(directory, 'kubelet'), { recursive: true });
  return directory;
}

/** The number of a process that has ended. */
function deadPid(): number {
  return spawnSync('true').pid;
}

describe('the sweep for abandoned folders', () => {
  it('removes those of sandboxes that are gone, with all that is in them', async () => {
    const folders = [aFolder('groundcrew-a'), aFolder('groundcrew-b')];
    for (const folder of folders) await writePidFile(folder, { pid: deadPid() });
    expect((await sweepAbandoned(parent)).sort()).toEqual(folders);
    expect(folders.map((folder) => existsSync(folder))).toEqual([false, false]);
  });

  it('leaves the folder of a sandbox that runs, such as this one', async () => {
    const folder = aFolder('groundcrew-a');
    await writePidFile(folder);
    expect(await sweepAbandoned(parent)).toEqual([]);
    expect(existsSync(folder)).toBe(true);
  });

  it('leaves folders without a pid file of ours, and of other names', async () => {
    aFolder('groundcrew-none');
    writeFileSync(join(aFolder('groundcrew-plain'), 'sandbox.pid'), String(deadPid()));
    writeFileSync(join(aFolder('groundcrew-other'), 'sandbox.pid'), JSON.stringify({ program: 'x', pid: deadPid() }));
    await writePidFile(aFolder('groundcrew-group'), { pid: 0 });
    await writePidFile(aFolder('other-a'), { pid: deadPid() });
    expect(await sweepAbandoned(parent)).toEqual([]);
  });

  it('leaves a folder whose process counts elsewhere: it may run in another container', async () => {
    const content = { program: 'groundcrew sandbox', pid: deadPid(), pidNamespace: 'pid:[1]' };
    writeFileSync(join(aFolder('groundcrew-a'), 'sandbox.pid'), JSON.stringify(content));
    expect(await sweepAbandoned(parent)).toEqual([]);
  });

  it('does not follow links', async () => {
    const target = aFolder('precious');
    await writePidFile(target, { pid: deadPid() });
    symlinkSync(target, join(parent, 'groundcrew-a'));
    expect(await sweepAbandoned(parent)).toEqual([]);
    expect(existsSync(target)).toBe(true);
  });

  it('is nothing where there is no such place', async () => {
    expect(await sweepAbandoned(join(parent, 'none'))).toEqual([]);
  });
});

it('finds the kubeconfigs of sandboxes that run', async () => {
  await writePidFile(aFolder('groundcrew-a'), { kubeconfig: '/a/kubeconfig' });
  await writePidFile(aFolder('groundcrew-starting'));
  await writePidFile(aFolder('groundcrew-gone'), { pid: deadPid(), kubeconfig: '/gone/kubeconfig' });
  expect(await kubeconfigsOfRunning(parent)).toEqual(['/a/kubeconfig']);
});
