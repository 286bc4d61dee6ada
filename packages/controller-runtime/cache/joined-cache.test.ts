import { beforeEach, describe, expect, it } from 'vitest';
import { KubeClient } from '../client.ts';
import { CONFIG_MAPS, type ConfigMap } from '../core.ts';
import { FakeClock, ScriptedApi, silentLogger } from '../testing/index.ts';
import { CachedWatch } from './cached-watch.ts';
import { JoinedCache } from './cache.ts';

const NAMESPACES = ['a', 'b'];
const path = (namespace: string, name: string) => `/api/v1/namespaces/${namespace}/configmaps/${name}`;
const configMap = (data: Record<string, string> = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', data });

let api: ScriptedApi;
let clock: FakeClock;
let watches: CachedWatch<ConfigMap>[];
let joined: JoinedCache<ConfigMap>;

beforeEach(() => {
  api = new ScriptedApi();
  clock = new FakeClock();
  const client = new KubeClient({ transport: api, fieldManager: 'test' });
  const indexes = { colour: ({ data }: ConfigMap) => [data?.['colour'] ?? ''] };
  const options = { client, kind: CONFIG_MAPS, indexes, clock, random: () => 0.5, logger: silentLogger };
  watches = NAMESPACES.map((namespace) => new CachedWatch({ ...options, namespace }));
  joined = new JoinedCache(CONFIG_MAPS, watches);
});

async function start(...caches: CachedWatch<ConfigMap>[]): Promise<void> {
  for (const cache of caches) void cache.run(new AbortController().signal);
  await Promise.all(caches.map((cache) => cache.synced()));
}

const names = (objects: readonly ConfigMap[]) => objects.map(({ metadata }) => metadata.name);

describe('JoinedCache', () => {
  it('is synced when all of its caches are', async () => {
    await start(...watches.slice(0, 1));
    expect(joined.hasSynced).toBe(false);
    await start(...watches.slice(1));
    expect(joined.hasSynced).toBe(true);
  });

  it('finds objects in any of its caches', async () => {
    api.put(path('a', 'one'), configMap({ colour: 'red' }));
    api.put(path('b', 'two'), configMap({ colour: 'red' }));
    api.put(path('b', 'three'), configMap({ colour: 'blue' }));
    await start(...watches);
    expect(joined.get({ namespace: 'b', name: 'two' })?.data).toEqual({ colour: 'red' });
    expect(joined.get({ namespace: 'b', name: 'one' })).toBeUndefined();
    expect([names(joined.list()).length, names(joined.list('a'))]).toEqual([3, ['one']]);
    expect(names(joined.byIndex('colour', 'red'))).toEqual(['one', 'two']);
  });

  it('reports each change in any of its caches until unsubscribe', async () => {
    await start(...watches);
    const changes: string[] = [];
    const end = joined.subscribe(({ type, object }) => changes.push(`${type} ${object.metadata.name}`));
    api.put(path('a', 'one'), configMap());
    api.put(path('b', 'two'), configMap());
    api.delete(path('a', 'one'));
    await clock.advance(0);
    expect(changes.toSorted()).toEqual(['added one', 'added two', 'deleted one']);
    end();
    api.delete(path('b', 'two'));
    await clock.advance(0);
    expect(changes).toHaveLength(3);
  });
});
