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

describe('the folder of a sandbox that is not kept', () => {
  it('goes with it', async () => {
    const { directory, data } = await openHome(undefined, parts);
    expect([existsSync(directory), data]).toEqual([true, undefined]);
    await parts.disposeAsync();
    expect(existsSync(directory)).toBe(false);
  });
});

describe('the kubeconfig of a sandbox that is kept', () => {
  it('is in its folder, and stays there', async () => {
    const home = await openHome(join(outer, 'lab'), parts);
    const file = await prepareKubeconfig(undefined, home);
    await file.write('text');
    await file.remove();
    expect(file.path).toBe(join(outer, 'lab', 'kubeconfig'));
    expect(readFileSync(file.path, 'utf8')).toBe('text');
  });

  it('is where it was told to be too, also where a kill has left one there', async () => {
    const home = await openHome(join(outer, 'lab'), parts);
    const path = join(outer, 'config');
    await (await prepareKubeconfig(path, home)).write('text');
    const again = await prepareKubeconfig(path, home);
    await again.write('other');
    expect([again.path, readFileSync(path, 'utf8')]).toEqual([path, 'other']);
    await again.remove();
    expect([existsSync(path), existsSync(join(outer, 'lab', 'kubeconfig'))]).toEqual([false, true]);
  });

  it('takes the place of nobody’s file', async () => {
    const home = await openHome(join(outer, 'lab'), parts);
    const path = join(outer, 'config');
    writeFileSync(path, 'precious');
    await expect(prepareKubeconfig(path, home)).rejects.toThrow(`--kubeconfig: ${path} exists.`);
    expect(readFileSync(path, 'utf8')).toBe('precious');
  });
});
