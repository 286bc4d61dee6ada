import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { FolderDisk } from './disk.ts';
import { Store } from './store.ts';

let outer: string;
beforeEach(() => {
  outer = mkdtempSync(join(tmpdir(), 'groundcrew-store-'));
});
afterEach(() => {
  rmSync(outer, { recursive: true });
});

const open = (): Store =>
  Store.open({ disk: new FolderDisk(join(outer, 'store')), logger: silentLogger, compactAt: 2_000 });
const put = (store: Store, name: string): unknown =>
  store.put('things', { apiVersion: 'v1', kind: 'Thing', metadata: { name } });

it('a store in a folder survives restarts and snapshots, in files that only the owner can read', async () => {
  let names = 0;
  for (let life = 0; life < 3; life += 1) {
    const store = open();
    expect(store.collection('things').size).toBe(names);
    expect(store.revision).toBe(names + 1);
    for (let turn = 0; turn < 100; turn += 1) put(store, `thing-${names++}`);
    await store.close();
  }
  const disk = new FolderDisk(join(outer, 'store'));
  expect(disk.list().some((name) => name.startsWith('snapshot-'))).toBe(true);
  expect(statSync(join(outer, 'store')).mode & 0o777).toBe(0o700);
  for (const name of disk.list()) expect(statSync(disk.pathOf(name)).mode & 0o777).toBe(0o600);
});

it('a store that was not closed, as after SIGKILL, has its objects', () => {
  put(open(), 'a');
  expect(open().collection('things').get('a')).toBeDefined();
});

it('a write to a full disk throws ENOSPC', () => {
  // Every write to /dev/full fails with ENOSPC.
  const full = new FolderDisk('/dev').append('full');
  expect(() => {
    full.write(Buffer.from('x'));
  }).toThrow(expect.objectContaining({ code: 'ENOSPC' }));
  full.close();
});
