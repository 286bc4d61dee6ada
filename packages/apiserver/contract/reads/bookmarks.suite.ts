import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { cluster, eventually, type WatchEvent } from '../../../../test/harness/index.ts';

const { http, namespace, watch } = await cluster();

const END = 'k8s.io/initial-events-end';

let path = '';

beforeAll(async () => {
  path = `/api/v1/namespaces/${await namespace()}/secrets`;
  for (const name of ['a', 'b']) await http('POST', path, { body: { metadata: { name } } });
});

const isBookmark = ({ type }: WatchEvent) => type === 'BOOKMARK';
const types = (events: WatchEvent[]) => events.map(({ type }) => type);
const version = ({ object }: WatchEvent) => Number(object.metadata.resourceVersion);

describe('the initial events of a watch', () => {
  const streaming = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan';

  it.each([streaming, `${streaming}&resourceVersion=1`, '', 'resourceVersion=0'])(
    'end with a bookmark that says so (%j)',
    async (query) => {
      const events = await watch(`${path}?watch=true&allowWatchBookmarks=true&${query}`, {
        until: (seen) => seen.some(isBookmark),
      });
      expect(types(events)).toEqual(['ADDED', 'ADDED', 'BOOKMARK']);
      const bookmark = events[2];
      expect(bookmark?.object).toEqual({
        kind: 'Secret',
        apiVersion: 'v1',
        metadata: { resourceVersion: expect.any(String) as string, annotations: { [END]: 'true' } },
      });
      expect(Math.max(...events.slice(0, 2).map(version))).toBeLessThanOrEqual(version(events[2] ?? never()));
    },
  );

  it('end with a bookmark for custom resources, too', async () => {
    const bmcs = path.replace('/api/v1/', '/apis/bmc.kubevirt.io/v1beta1/').replace('secrets', 'virtualmachinebmcs');
    // The kind's first reader may come before the server is ready for one.
    const [bookmark] = await eventually(() =>
      watch(`${bmcs}?watch=true&allowWatchBookmarks=true&${streaming}`, { until: (seen) => seen.some(isBookmark) }),
    );
    expect(bookmark?.object).toMatchObject({
      kind: 'VirtualMachineBMC',
      apiVersion: 'bmc.kubevirt.io/v1beta1',
      metadata: { annotations: { [END]: 'true' } },
    });
  });

  it('come without a bookmark where none are allowed', async () => {
    const events = await watch(`${path}?watch=true&${streaming}&timeoutSeconds=2`);
    expect(types(events)).toEqual(['ADDED', 'ADDED']);
  });

  it('do not come where they are declined', async () => {
    const start = ((await http('GET', path)).body as WatchEvent['object']).metadata.resourceVersion ?? '';
    const query = `sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=${start}`;
    const seen = watch(`${path}?watch=true&${query}`, { until: (events) => events.length === 1 });
    await http('POST', path, { body: { metadata: { name: 'late' } } });
    expect((await seen).map(({ object }) => object.metadata.name)).toEqual(['late']);
    await http('DELETE', `${path}/late`);
  });
});

describe('a bookmark', () => {
  it('tells a watch that has seen nothing how far the world has come', async () => {
    const { body } = await http('GET', path);
    const start = (body as WatchEvent['object']).metadata.resourceVersion ?? '';
    const query = `resourceVersion=${start}&labelSelector=none&allowWatchBookmarks=true&timeoutSeconds=5`;
    const state: { seen?: WatchEvent[] } = {};
    const watching = watch(`${path}?watch=true&${query}`).then((seen) => (state.seen = seen));
    // A bookmark comes shortly before the end of a watch, where there is news since its beginning.
    let unseen = 0;
    for (let round = 0; round < 50 && state.seen === undefined; round += 1) {
      const { body: made } = await http('POST', path, { body: { metadata: { name: `unseen-${round}` } } });
      if (round === 0) unseen = version({ type: '', object: made as WatchEvent['object'] });
      await sleep(200);
    }
    const events = await watching;
    expect(new Set(types(events))).toEqual(new Set(['BOOKMARK']));
    const last = events.at(-1) ?? never();
    expect(version(last)).toBeGreaterThanOrEqual(unseen);
    expect(Object.keys(last.object.metadata)).toEqual(['resourceVersion']);
  });
});

function never(): never {
  throw new Error('there is no such event');
}
