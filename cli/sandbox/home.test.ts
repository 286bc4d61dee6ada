import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openHome, prepareKubeconfig } from './home.ts';

let outer: string;
let parts: AsyncDisposableStack;
beforeEach(() => {
  outer = mkdtempSync(join(tmpdir(), 'groundcrew-home-'));
  parts = new AsyncDisposableStack();
});
afterEach(async () => {
  await parts.disposeAsync();
  rmSync(outer, { recursive: true });
});

describe('openHome without a data folder', () => {
  it('removes the folder at the end', async () => {
    const { directory, data } = await openHome(undefined, parts);
    expect([existsSync(directory), data]).toEqual([true, undefined]);
    await parts.disposeAsync();
    expect(existsSync(directory)).toBe(false);
  });
});

describe('the kubeconfig of a sandbox with a data folder', () => {
  it('is in the data folder and is kept', async () => {
    const home = await openHome(join(outer, 'lab'), parts);
    const file = await prepareKubeconfig(undefined, home);
    await file.write('text');
    await file.remove();
    expect(file.path).toBe(join(outer, 'lab', 'kubeconfig'));
    expect(readFileSync(file.path, 'utf8')).toBe('text');
  });

  it('is also written to the given path, and replaces a copy that a killed sandbox left', async () => {
    const home = await openHome(join(outer, 'lab'), parts);
    const path = join(outer, 'config');
    await (await prepareKubeconfig(path, home)).write('text');
    const again = await prepareKubeconfig(path, home);
    await again.write('other');
    expect([again.path, readFileSync(path, 'utf8')]).toEqual([path, 'other']);
    await again.remove();
    expect([existsSync(path), existsSync(join(outer, 'lab', 'kubeconfig'))]).toEqual([false, true]);
  });

  it('does not replace a file of the user', async () => {
    const home = await openHome(join(outer, 'lab'), parts);
    const path = join(outer, 'config');
    writeFileSync(path, 'precious');
    await expect(prepareKubeconfig(path, home)).rejects.toThrow(
      `--kubeconfig: ${path} exists. Choose another file, or remove it first.`,
    );
    expect(readFileSync(path, 'utf8')).toBe('precious');
  });
});
