import { describe, expect, it } from 'vitest';
import { KubeClient } from '../client.ts';
import { CONFIG_MAPS, type ConfigMap } from '../core.ts';
import { deepFreeze, FakeClock, ScriptedApi, silentLogger } from '../testing/index.ts';
import type { Change } from './cache.ts';
import { CachedWatch, type CachedWatchOptions } from './cached-watch.ts';

const PATH = '/api/v1/namespaces/default/configmaps';

function configMap(data: Record<string, string> = {}): Pick<ConfigMap, 'apiVersion' | 'kind' | 'data'> {
  return { apiVersion: 'v1', kind: 'ConfigMap', data };
}

function setUp(options: Partial<CachedWatchOptions<ConfigMap>> = {}) {
  const api = new ScriptedApi();
  const clock = new FakeClock();
  const stop = new AbortController();
  const cache = new CachedWatch({
    client: new KubeClient({ transport: api, fieldManager: 'test' }),
    kind: CONFIG_MAPS,
    clock,
    random: () => 0.5,
    logger: silentLogger,
    transform: deepFreeze,
    ...options,
  });
  const changes: string[] = [];
  cache.subscribe((change) => changes.push(told(change)));
  const start = (): Promise<void> => cache.run(stop.signal);
  return { api, clock, stop, cache, changes, start };
}

function told(change: Change<ConfigMap>): string {
  return `${change.type} ${change.object.metadata.name}`;
}

describe('CachedWatch', () => {
  it('reads the initial list in pages of 250 and is synced after the last page', async () => {
    const { api, clock, cache, start } = setUp();
    api.pageSize = 2;
    for (const name of ['a', 'b', 'c']) api.put(`${PATH}/${name}`, configMap());
    expect(cache.hasSynced).toBe(false);
    void start();
    await cache.synced();
    expect(cache.list().map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c']);
    expect(api.requests[0]).toBe('GET /api/v1/configmaps?limit=250');
    expect(api.requests[1]).toMatch(/continue=/);
    await clock.advance(0);
    expect(api.requests[2]).toMatch(/resourceVersion=103&timeoutSeconds=450&watch=true&allowWatchBookmarks=true$/);
  });

  it('tells each page of a list before it reads the next, and deletions after the last', async () => {
    const { api, clock, cache, changes, start } = setUp();
    for (const name of ['a', 'b', 'c', 'd']) api.put(`${PATH}/${name}`, configMap());
    void start();
    await cache.synced();
    await clock.advance(0);
    changes.length = 0;
    api.delete(`${PATH}/d`);
    for (const name of ['a', 'b', 'c']) api.put(`${PATH}/${name}`, configMap({ key: 'value' }));
    api.pageSize = 1;
    let fails = true;
    const before: number[] = [];
    api.intercept = ({ path }) => {
      if (!path.includes('watch=true')) before.push(changes.length);
      if (fails && path.includes('continue=')) throw new Error('socket hang up');
      return undefined;
    };
    api.compact();
    api.endWatches('reset');
    await clock.advance(1500);
    // The list failed: what it told is true, and what it did not tell may be so, too.
    expect([changes, cache.list().length]).toEqual([['modified a'], 4]);
    fails = false;
    await clock.advance(10_000);
    expect(changes).toEqual(['modified a', 'modified b', 'modified c', 'deleted d']);
    expect(before.slice(-3)).toEqual([1, 1, 2]);
  });

  it('reports added, modified and deleted objects', async () => {
    const { api, clock, cache, changes, start } = setUp();
    void start();
    await cache.synced();
    api.put(`${PATH}/a`, configMap());
    api.put(`${PATH}/a`, configMap({ key: 'value' }));
    api.delete(`${PATH}/a`);
    await clock.advance(0);
    expect(changes).toEqual(['added a', 'modified a', 'deleted a']);
  });

  it('passes the previous state with each modification', async () => {
    const { api, clock, cache, start } = setUp();
    api.put(`${PATH}/a`, configMap({ key: '1' }));
    void start();
    await cache.synced();
    let seen: Change<ConfigMap> | undefined;
    cache.subscribe((change) => (seen = change));
    api.put(`${PATH}/a`, configMap({ key: '2' }));
    await clock.advance(0);
    expect(seen).toMatchObject({ type: 'modified', object: { data: { key: '2' } }, previous: { data: { key: '1' } } });
  });

  it('reports existing objects to a new subscriber and nothing after unsubscribe', async () => {
    const { api, clock, cache, start } = setUp();
    api.put(`${PATH}/a`, configMap());
    void start();
    await cache.synced();
    const late: string[] = [];
    const end = cache.subscribe((change) => late.push(told(change)));
    cache.subscribe((change) => late.push(told(change)))();
    await clock.advance(0);
    end();
    api.delete(`${PATH}/a`);
    await clock.advance(0);
    expect(late).toEqual(['added a']);
  });

  it('exposes when the open watch was opened and when the server was last heard on it', async () => {
    const { api, clock, cache, start } = setUp();
    const begin = clock.now();
    expect(cache.openWatch).toBeUndefined();
    void start();
    await clock.advance(5000);
    expect(cache.openWatch).toEqual({ opened: begin, heard: begin });
    api.bookmark();
    await clock.advance(0);
    expect(cache.openWatch).toEqual({ opened: begin, heard: begin + 5000 });
    api.intercept = () => {
      throw new Error('connection refused');
    };
    api.endWatches('reset');
    await clock.advance(0);
    expect(cache.openWatch).toBeUndefined();
    expect(cache.heard).toBe(begin + 5000);
    api.intercept = () => undefined;
    await clock.advance(10_000);
    expect(cache.openWatch?.opened).toBeGreaterThan(begin + 5000);
  });

  it('exposes until when the server was unreachable; a watch that the server ends normally does not count', async () => {
    const { api, clock, cache, start } = setUp();
    void start();
    await clock.advance(5000);
    api.endWatches('cleanly');
    await clock.advance(5000);
    api.intercept = () => ({ status: 429, body: { kind: 'Status', reason: 'TooManyRequests' } });
    api.endWatches('cleanly');
    await clock.advance(30_000);
    api.intercept = () => undefined;
    await clock.advance(15_000);
    expect([cache.openWatch === undefined, cache.awayUntil]).toEqual([false, undefined]);
    api.intercept = () => {
      throw new Error('connection refused');
    };
    api.endWatches('reset');
    await clock.advance(60_000);
    const end = clock.now();
    expect(cache.awayUntil).toBe(end);
    api.intercept = () => undefined;
    await clock.advance(10_000);
    expect(cache.awayUntil).toBe(cache.openWatch?.opened);
    expect(cache.awayUntil).toBeGreaterThan(end);
  });

  it('exposes why the server refuses it, until a watch is open', async () => {
    const { api, clock, cache, start } = setUp();
    api.intercept = () => ({ status: 403, body: { kind: 'Status', message: 'configmaps is forbidden' } });
    expect(cache.failure).toBeUndefined();
    void start();
    await clock.advance(0);
    expect(cache.failure).toMatchObject({ status: 403, serverMessage: 'configmaps is forbidden' });
    api.intercept = () => undefined;
    await clock.advance(10_000);
    expect([cache.failure, cache.hasSynced]).toEqual([undefined, true]);
  });

  it('removes managedFields and sets apiVersion and kind of listed objects', async () => {
    const { api, cache, start } = setUp();
    api.put(`${PATH}/a`, { apiVersion: '', kind: '', metadata: { managedFields: [{ manager: 'kubectl' }] } });
    void start();
    await cache.synced();
    expect(cache.get({ namespace: 'default', name: 'a' })).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'default', name: 'a', uid: 'uid-1', resourceVersion: '101' },
    });
  });

  it('leaves managedFields to the transform if told so', async () => {
    const { api, cache, start } = setUp({ keepsManagedFields: true });
    const managedFields = [{ time: '2026-01-01T00:00:00Z' }];
    api.put(`${PATH}/a`, { apiVersion: '', kind: '', metadata: { managedFields } });
    void start();
    await cache.synced();
    expect(cache.get({ namespace: 'default', name: 'a' })).toMatchObject({ metadata: { managedFields } });
  });

  it('finds objects by namespace and by index, also after an indexed value changes', async () => {
    const { api, clock, cache, start } = setUp({
      indexes: { byOwner: ({ data }) => (data?.['owner'] ?? '').split(',') },
    });
    api.put(`${PATH}/a`, configMap({ owner: 'x,y' }));
    api.put('/api/v1/namespaces/other/configmaps/b', configMap({ owner: 'y' }));
    void start();
    await cache.synced();
    const names = (objects: readonly ConfigMap[]): string[] => objects.map(({ metadata }) => metadata.name);
    expect(names(cache.list('other'))).toEqual(['b']);
    expect(names(cache.byIndex('byOwner', 'y'))).toEqual(['a', 'b']);
    api.put(`${PATH}/a`, configMap({ owner: 'z' }));
    await clock.advance(0);
    expect(names(cache.byIndex('byOwner', 'y'))).toEqual(['b']);
    expect(names(cache.byIndex('byOwner', 'z'))).toEqual(['a']);
    expect(() => cache.byIndex('byColour', 'red')).toThrow(TypeError);
  });

  it('survives exceptions in listeners, indexes and transforms', async () => {
    const thrower = (): never => {
      throw new Error('a bug');
    };
    const { api, clock, cache, changes, start } = setUp({ indexes: { broken: thrower }, transform: thrower });
    cache.subscribe(thrower);
    void start();
    await cache.synced();
    api.put(`${PATH}/a`, configMap());
    api.put(`${PATH}/b`, configMap());
    await clock.advance(0);
    expect(changes).toEqual(['added a', 'added b']);
    expect(cache.byIndex('broken', 'x')).toEqual([]);
  });

  it('resumes a broken watch from the last event without a list', async () => {
    const { api, clock, cache, changes, start } = setUp();
    void start();
    await cache.synced();
    api.put(`${PATH}/a`, configMap());
    await clock.advance(0);
    api.endWatches('reset');
    api.put(`${PATH}/b`, configMap());
    api.delete(`${PATH}/a`);
    await clock.advance(1000);
    expect(changes).toEqual(['added a', 'added b', 'deleted a']);
    expect(api.requests.filter((request) => !request.includes('watch=true'))).toHaveLength(1);
    expect(api.requests.at(-1)).toContain('resourceVersion=101&');
  });

  it('resumes from the last bookmark', async () => {
    const { api, clock, cache, start } = setUp();
    void start();
    await cache.synced();
    await clock.advance(0);
    api.put('/api/v1/namespaces/default/secrets/unrelated', configMap());
    api.bookmark();
    await clock.advance(2000);
    api.endWatches('cleanly');
    await clock.advance(1000);
    expect(api.requests.at(-1)).toContain('resourceVersion=101&');
  });

  it.each(['status', 'event'] as const)(
    'lists again after 410 as %s and reports the changes in between',
    async (goneAs) => {
      const { api, clock, cache, changes, start } = setUp();
      api.goneAs = goneAs;
      for (const name of ['kept', 'changed', 'deleted', 'recreated']) api.put(`${PATH}/${name}`, configMap());
      void start();
      await cache.synced();
      await clock.advance(0);
      changes.length = 0;
      api.endWatches('reset');
      api.put(`${PATH}/changed`, configMap({ key: 'value' }));
      api.delete(`${PATH}/deleted`);
      api.delete(`${PATH}/recreated`);
      api.put(`${PATH}/recreated`, configMap());
      api.compact();
      await clock.advance(5000);
      expect(changes.toSorted()).toEqual([
        'added recreated',
        'deleted deleted',
        'deleted recreated',
        'modified changed',
      ]);
    },
  );

  it('waits between failures for 0.8 s, doubled each time up to 10 s, times a random factor', async () => {
    const { api, clock, start } = setUp();
    const times: number[] = [];
    const began = clock.now();
    api.intercept = () => {
      times.push(clock.now() - began);
      throw new Error('connect ECONNREFUSED');
    };
    void start();
    await clock.advance(26_000);
    const pauses = times.slice(1).map((time, i) => time - (times[i] ?? 0));
    expect(pauses).toEqual([400, 800, 1600, 3200, 5000, 5000, 5000, 5000]);
  });

  it('resets the back-off after a successful watch', async () => {
    const { api, clock, cache, start } = setUp();
    let down = true;
    api.intercept = () => {
      if (down) throw new Error('connect ECONNREFUSED');
      return undefined;
    };
    void start();
    await clock.advance(30_000);
    down = false;
    await clock.advance(30_000);
    expect(cache.hasSynced).toBe(true);
    const before = api.requests.length;
    api.endWatches('reset');
    await clock.advance(400);
    expect(api.requests).toHaveLength(before + 1);
  });

  it('waits for the Retry-After of an overloaded server plus a random time, each time', async () => {
    const { api, clock, start } = setUp();
    api.intercept = () => ({
      status: 429,
      body: { kind: 'Status', apiVersion: 'v1', code: 429, details: { retryAfterSeconds: 5 } },
    });
    void start();
    for (const requests of [1, 2, 3, 4]) {
      await clock.advance(5399);
      expect(api.requests).toHaveLength(requests);
      await clock.advance(1);
      expect(api.requests).toHaveLength(requests + 1);
    }
  });

  it('does not loop without delay if the server ends each watch immediately', async () => {
    const { api, clock, cache, start } = setUp();
    void start();
    await cache.synced();
    for (let i = 0; i < 600; i += 1) {
      await clock.advance(100);
      api.endWatches('cleanly');
    }
    expect(api.requests.length).toBeLessThan(20);
  });

  it('reports an unknown kind as absent and syncs within 10 s after it appears', async () => {
    const { api, clock, cache, start } = setUp();
    let installed = false;
    api.intercept = () => (installed ? undefined : { status: 404, body: '404 page not found' });
    void start();
    await cache.settled();
    await clock.advance(300_000);
    expect([cache.absent, cache.hasSynced]).toEqual([true, false]);
    installed = true;
    api.put(`${PATH}/a`, configMap());
    await clock.advance(10_000);
    expect([cache.absent, cache.hasSynced, cache.list().length]).toEqual([false, true, 1]);
  });

  it('keeps its objects when the kind disappears and reports deletions when the kind is back', async () => {
    const { api, clock, cache, changes, start } = setUp();
    api.put(`${PATH}/a`, configMap());
    void start();
    await cache.synced();
    await clock.advance(0);
    api.intercept = () => ({ status: 404, body: '404 page not found' });
    api.delete(`${PATH}/a`);
    api.endWatches('reset');
    // Events in flight are lost with the connection.
    await clock.advance(60_000);
    expect([cache.absent, cache.list().length]).toEqual([true, 1]);
    api.intercept = () => undefined;
    await clock.advance(10_000);
    expect(changes).toEqual(['added a', 'deleted a']);
  });

  it('leaves no watch, timer or waiter after an abort and reports nothing more', async () => {
    const { api, clock, stop, cache, changes, start } = setUp();
    const running = start();
    await cache.synced();
    await clock.advance(0);
    expect(api.watches).toBe(1);
    api.put(`${PATH}/late`, configMap());
    stop.abort();
    await running;
    expect([api.watches, clock.timers]).toEqual([0, 0]);
    expect(changes).toEqual([]);
  });

  it('ends during a list or a pause when it is aborted', async () => {
    const { api, clock, stop, start } = setUp();
    api.intercept = () => {
      throw new Error('connect ECONNREFUSED');
    };
    const running = start();
    await clock.advance(10);
    expect(clock.timers).toBe(1);
    stop.abort();
    await running;
    expect(clock.timers).toBe(0);
  });

  it('rejects synced() when its signal is aborted', async () => {
    const { cache } = setUp();
    const impatient = new AbortController();
    const waiting = cache.synced(impatient.signal);
    impatient.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });

  it('throws if it already runs', async () => {
    const { cache, start, stop } = setUp();
    const first = start();
    await expect(cache.run(stop.signal)).rejects.toThrow(TypeError);
    stop.abort();
    await first;
  });
});
