import { describe, expect, it } from 'vitest';
import { CONFIG_MAPS, KubeClient } from '@groundcrew/controller-runtime';
import { FakeClock, ScriptedApi, silentLogger } from '@groundcrew/controller-runtime/testing';
import { isFresh, NamedWatches } from './named-watches.ts';

const PATH = '/api/v1/namespaces/default/configmaps/a';

/** A watch of one object, on an API server that sends no bookmarks. */
async function quiet() {
  const api = new ScriptedApi();
  const clock = new FakeClock();
  const client = new KubeClient({ transport: api, fieldManager: 'test' });
  api.put(PATH, { apiVersion: 'v1', kind: 'ConfigMap' });
  const watches = new NamedWatches({ client, namespace: 'default', clock, logger: silentLogger });
  const watch = watches.watch(CONFIG_MAPS, 'a', () => undefined);
  await clock.advance(1000);
  api.requests.length = 0;
  return { api, clock, watch };
}

describe('a watch by name', () => {
  it('is fresh for all readers in a quiet cluster, with one request in 90 s', async () => {
    const { api, clock, watch } = await quiet();
    for (let polls = 0; polls < 120; polls += 1) {
      await clock.advance(3000);
      await watch.refresh();
      expect(watch.isFresh).toBe(true);
    }
    expect(api.requests).toHaveLength(3);
    expect(new Set(api.requests)).toEqual(
      new Set(['GET /api/v1/namespaces/default/configmaps?fieldSelector=metadata.name%3Da&limit=250']),
    );
  });

  it('sends no request without a reader', async () => {
    const { api, clock, watch } = await quiet();
    await clock.advance(360_000);
    expect([watch.isFresh, api.requests]).toEqual([false, []]);
    await watch.refresh();
    expect(watch.isFresh).toBe(true);
  });

  it('refreshes an object whose events were lost', async () => {
    const { api, clock, watch } = await quiet();
    api.tellsWatchers = false;
    api.delete(PATH);
    await clock.advance(91_000);
    expect([watch.isFresh, watch.object?.metadata.name]).toEqual([false, 'a']);
    await watch.refresh();
    expect([watch.isFresh, watch.object]).toEqual([true, undefined]);
  });

  it('is stale after 90 s without an answer of the API server, and refreshes for at most 2 s', async () => {
    const { api, clock, watch } = await quiet();
    const answer = Promise.withResolvers<undefined>();
    api.intercept = () => answer.promise;
    await clock.advance(89_000);
    await watch.refresh();
    expect([watch.isFresh, api.requests]).toEqual([true, []]);
    await clock.advance(1001);
    let hasWaited = false;
    const refreshed = watch.refresh().then(() => (hasWaited = true));
    await clock.advance(1999);
    expect(hasWaited).toBe(false);
    await clock.advance(1);
    await refreshed;
    expect([watch.isFresh, api.requests.length]).toEqual([false, 1]);
    // The next reader waits for the same answer.
    const again = watch.refresh();
    await clock.advance(0);
    answer.resolve(undefined);
    await again;
    expect([watch.isFresh, api.requests.length]).toEqual([true, 1]);
  });

  it('is stale 10 s after its connection broke if the API server is unreachable', async () => {
    const { api, clock, watch } = await quiet();
    await clock.advance(30_000);
    api.bookmark();
    await clock.advance(0);
    api.intercept = () => {
      throw new Error('connection refused');
    };
    api.endWatches('reset');
    await clock.advance(10_000);
    await watch.refresh();
    expect(watch.isFresh).toBe(true);
    await clock.advance(1);
    await watch.refresh();
    expect(watch.isFresh).toBe(false);
  });
});

const now = 1_000_000;

describe('isFresh', () => {
  it('is true while the watch is open and the server sends something every 90 s', () => {
    expect(isFresh({ openWatch: { opened: 0, heard: now - 90_000 }, heard: now - 90_000 }, now)).toBe(true);
    expect(isFresh({ openWatch: { opened: 0, heard: now - 90_001 }, heard: now - 90_001 }, now)).toBe(false);
  });

  it('is false just after a watch was reopened: it has not delivered the missed events yet', () => {
    const heard = now - 60_000;
    expect(isFresh({ openWatch: { opened: now - 999, heard: now - 999 }, heard }, now)).toBe(false);
    expect(isFresh({ openWatch: { opened: now - 1000, heard: now - 1000 }, heard }, now)).toBe(true);
    expect(isFresh({ openWatch: { opened: now - 999, heard: now - 999 }, heard: now - 2000 }, now)).toBe(true);
  });

  it('is true for ten seconds after the watch has ended', () => {
    expect(isFresh({ openWatch: undefined, heard: now - 10_000 }, now)).toBe(true);
    expect(isFresh({ openWatch: undefined, heard: now - 10_001 }, now)).toBe(false);
    expect(isFresh({ openWatch: undefined, heard: undefined }, now)).toBe(false);
  });

  it('is false after the clock was set back, until the server sends something', () => {
    expect(isFresh({ openWatch: undefined, heard: now + 1 }, now)).toBe(false);
    expect(isFresh({ openWatch: { opened: 0, heard: now + 1 }, heard: now + 1 }, now)).toBe(false);
    expect(isFresh({ openWatch: { opened: 0, heard: now }, heard: now }, now)).toBe(true);
  });
});
