import { describe, expect, it } from 'vitest';
import { KubeClient } from '../client.ts';
import { CONFIG_MAPS, type ConfigMap } from '../core.ts';
import { FakeClock, ScriptedApi, silentLogger } from '../testing/index.ts';
import { CachedWatch } from './cached-watch.ts';

const PATH = '/api/v1/namespaces/default/configmaps/a';

/** A cache with one object in version 101; its API server has sent no bookmark for 100 s. */
async function silence() {
  const api = new ScriptedApi();
  const clock = new FakeClock();
  const stop = new AbortController();
  const cache = new CachedWatch<ConfigMap>({
    client: new KubeClient({ transport: api, fieldManager: 'test' }),
    kind: CONFIG_MAPS,
    fieldSelector: 'metadata.name=a',
    clock,
    random: () => 0.5,
    logger: silentLogger,
  });
  put(api);
  const running = cache.run(stop.signal);
  await clock.advance(100_000);
  api.requests.length = 0;
  const version = () => cache.get({ namespace: 'default', name: 'a' })?.metadata.resourceVersion;
  return { api, clock, cache, stop, running, version };
}

function put(api: ScriptedApi): void {
  api.put(PATH, { apiVersion: 'v1', kind: 'ConfigMap' });
}

/** Holds back all requests until the returned function is called. */
function held(api: ScriptedApi): () => void {
  const gate = Promise.withResolvers<undefined>();
  api.intercept = () => gate.promise;
  return () => {
    gate.resolve(undefined);
  };
}

describe('CachedWatch.confirm', () => {
  it('sends one list for concurrent calls and keeps the watch open', async () => {
    const { api, clock, cache } = await silence();
    const opened = cache.openWatch?.opened;
    const asked = clock.now();
    const answer = held(api);
    const all = Promise.all([cache.confirm(), cache.confirm(), cache.confirm()]);
    await clock.advance(500);
    answer();
    await all;
    expect(api.requests).toEqual(['GET /api/v1/configmaps?fieldSelector=metadata.name%3Da&limit=250']);
    // The time of the request: later changes are unknown.
    expect([cache.heard, cache.openWatch]).toEqual([asked, { opened, heard: asked }]);
    expect([api.watches, clock.timers]).toEqual([1, 0]);
  });

  it('applies changes that the watch missed and reopens the watch from there', async () => {
    const { api, clock, cache, version } = await silence();
    api.tellsWatchers = false;
    put(api);
    await clock.advance(0);
    expect(version()).toBe('101');
    await cache.confirm();
    expect(version()).toBe('102');
    await clock.advance(0);
    expect(api.requests[1]).toMatch(/resourceVersion=102&.*watch=true/);
    api.tellsWatchers = true;
    put(api);
    await clock.advance(0);
    expect([version(), api.watches]).toEqual(['103', 1]);
  });

  it('detects a deletion that the watch missed', async () => {
    const { api, cache, version } = await silence();
    api.tellsWatchers = false;
    api.delete(PATH);
    await cache.confirm();
    expect(version()).toBeUndefined();
  });

  it('drops an answer that may be older than a change from the watch', async () => {
    const { api, clock, cache, version } = await silence();
    const body = { metadata: { resourceVersion: '101' }, items: [api.objects.get(PATH)] };
    const gate = Promise.withResolvers<{ status: number; body: unknown }>();
    api.intercept = () => gate.promise;
    const confirmed = cache.confirm();
    put(api);
    await clock.advance(0);
    const { heard } = cache;
    gate.resolve({ status: 200, body });
    await confirmed;
    expect([version(), cache.heard, api.requests.length]).toEqual(['102', heard, 1]);
  });

  it('leaves heard unchanged if the server does not answer, and gives up after 10 s', async () => {
    const { api, clock, cache } = await silence();
    const { heard, openWatch } = cache;
    api.intercept = ({ signal }) =>
      new Promise((_, reject) => {
        signal?.addEventListener('abort', () => {
          reject(new Error('aborted'));
        });
      });
    let hasEnded = false;
    void cache.confirm().then(() => (hasEnded = true));
    await clock.advance(9999);
    expect(hasEnded).toBe(false);
    await clock.advance(1);
    expect([hasEnded, clock.timers, cache.heard, cache.openWatch]).toEqual([true, 0, heard, openWatch]);
  });

  it('resolves if the server refuses the request', async () => {
    const { api, cache } = await silence();
    const { heard } = cache;
    api.intercept = () => ({ status: 503, body: 'starting' });
    await cache.confirm();
    expect(cache.heard).toBe(heard);
  });

  it('lists while the watch waits to be reopened, and reopens it immediately if there are changes', async () => {
    const { api, clock, cache, version } = await silence();
    api.intercept = () => {
      throw new Error('connection refused');
    };
    api.endWatches('reset');
    await clock.advance(60_000);
    put(api);
    api.intercept = () => undefined;
    await cache.confirm();
    expect([version(), cache.heard]).toEqual(['102', clock.now()]);
    await clock.advance(0);
    expect(api.watches).toBe(1);
  });

  it('sends no request if the cache is not running', async () => {
    const { api, cache, stop, running } = await silence();
    stop.abort();
    await cache.confirm();
    await running;
    await cache.confirm();
    expect(api.requests).toEqual([]);
  });
});
