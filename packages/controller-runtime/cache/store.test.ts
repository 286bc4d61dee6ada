import { afterEach, beforeEach, expect, it, vi, type Mock } from 'vitest';
import type { ConfigMap } from '../core.ts';
import { silentLogger } from '../testing/index.ts';
import { Packing } from './packing.ts';
import { Store } from './store.ts';

let unpack: Mock;

beforeEach(() => {
  unpack = vi.spyOn(Packing.prototype, 'unpack');
});
afterEach(() => {
  unpack.mockRestore();
});

/** A store of packed ConfigMaps: `a` in the namespace `default` and `b` in `other`, both of the owner `x`. */
function packedStore(unpacked = 0): Store<ConfigMap> {
  const store = new Store<ConfigMap>({
    unpacked,
    indexes: { byOwner: ({ data }) => [data?.['owner'] ?? ''] },
    packing: new Packing(() => []),
    logger: silentLogger,
  });
  for (const metadata of [A, B]) store.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { owner: 'x' } });
  unpack.mockClear();
  return store;
}

const A = { namespace: 'default', name: 'a' };
const B = { namespace: 'other', name: 'b' };

it('tells the names of packed objects without unpacking them', () => {
  const store = packedStore();
  expect([store.refs(), store.refs('other'), store.refsByIndex('byOwner', 'x')]).toEqual([[A, B], [B], [A, B]]);
  expect(unpack).not.toHaveBeenCalled();
  expect(store.list()).toHaveLength(2);
  expect(unpack).toHaveBeenCalledTimes(2);
});

it('keeps the objects that were read last unpacked, until they change', () => {
  const store = packedStore(1);
  const [first, again] = [store.get(A), store.get(A)];
  expect(again).toBe(first);
  store.get(B);
  expect(store.get(A)).not.toBe(first);
  expect(unpack).toHaveBeenCalledTimes(3);
  store.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...A, resourceVersion: '2' } });
  expect(store.get(A)?.metadata.resourceVersion).toBe('2');
  store.delete({ apiVersion: 'v1', kind: 'ConfigMap', metadata: A });
  expect(store.get(A)).toBeUndefined();
});

it('unpacks an object once for all that subscribe at the same time', async () => {
  const store = packedStore();
  const seen: ConfigMap[] = [];
  for (let count = 0; count < 3; count += 1) store.subscribe(({ object }) => seen.push(object));
  await Promise.resolve();
  expect(seen.map(({ metadata }) => metadata.name)).toEqual(['a', 'a', 'a', 'b', 'b', 'b']);
  expect(unpack).toHaveBeenCalledTimes(2);
});

it('tells a new listener only the newest state of what changes before it is told', async () => {
  const store = packedStore();
  const seen: string[] = [];
  store.subscribe(({ type, object }) => seen.push(`${type} ${object.metadata.name}`));
  store.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...A, resourceVersion: '2' } });
  store.delete({ apiVersion: 'v1', kind: 'ConfigMap', metadata: B });
  expect(seen).toEqual([]);
  await Promise.resolve();
  expect(seen).toEqual(['added a']);
});
