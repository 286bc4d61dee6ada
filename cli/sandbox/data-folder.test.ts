import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DataFolder } from './data-folder.ts';

let outer: string;
let path: string;
beforeEach(() => {
  outer = mkdtempSync(join(tmpdir(), 'groundcrew-folder-'));
  path = join(outer, 'data');
});
afterEach(() => {
  rmSync(outer, { recursive: true });
});

const ORIGIN = { vms: 2, ipmiPort: 6230, manifests: ['v1 ConfigMap default/a'] };

describe('DataFolder', () => {
  it('is readable only by its owner and keeps the origin', async () => {
    const first = await DataFolder.open(path);
    expect([first.isUsed, first.origin]).toEqual([false, undefined]);
    first.setOrigin(ORIGIN);
    first.close();
    expect(statSync(path).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(path)) expect(statSync(join(path, name)).mode & 0o777).toBe(0o600);
    const second = await DataFolder.open(path);
    expect([second.isUsed, second.origin]).toEqual([true, ORIGIN]);
    second.close();
  });

  it('is locked by one process at a time', async () => {
    const first = await DataFolder.open(path);
    await expect(DataFolder.open(path)).rejects.toThrow(
      `--data-dir: ${path} is in use by another sandbox (process ${process.pid}). Stop that one, or choose another folder.`,
    );
    first.close();
    (await DataFolder.open(path)).close();
  });

  it('is unlocked when its process is killed', async () => {
    const program = `
      const { DataFolder } = await import(${JSON.stringify(join(import.meta.dirname, 'data-folder.ts'))});
      await DataFolder.open(${JSON.stringify(path)});
      process.kill(process.pid, 'SIGKILL');`;
    const child = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
    expect(child.signal, child.stderr).toBe('SIGKILL');
    const folder = await DataFolder.open(path);
    expect(folder.isUsed).toBe(true);
    folder.close();
  });

  it('rejects a folder with other files', async () => {
    mkdirSync(path);
    writeFileSync(join(path, 'thesis.txt'), 'precious');
    await expect(DataFolder.open(path)).rejects.toThrow(
      `--data-dir: ${path} holds other files, and no sandbox. Choose an empty folder, or a new one.`,
    );
    expect(readdirSync(path)).toEqual(['thesis.txt']);
  });

  it('rejects a folder written by a later version', async () => {
    mkdirSync(path);
    writeFileSync(join(path, 'sandbox.json'), JSON.stringify({ program: 'groundcrew sandbox', format: 2 }));
    await expect(DataFolder.open(path)).rejects.toThrow(
      `--data-dir: ${path} was written by a later version of Groundcrew (format 2; this one knows 1).`,
    );
  });

  it('rejects a folder whose sandbox.json is invalid', async () => {
    mkdirSync(path);
    writeFileSync(join(path, 'sandbox.json'), '{');
    await expect(DataFolder.open(path)).rejects.toThrow(
      'sandbox.json was not written by a sandbox, or is damaged. Choose another folder.',
    );
  });

  it.each(['/dev/null', '/dev/null/below', '/proc/groundcrew'])(
    'rejects a folder that cannot be created: %s',
    async (name) => {
      await expect(DataFolder.open(name)).rejects.toThrow(`--data-dir: ${name} cannot be used: E`);
    },
  );
});
