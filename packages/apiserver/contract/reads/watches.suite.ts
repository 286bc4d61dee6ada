import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { cluster, eventually, type WatchEvent } from '../../../../test/harness/index.ts';
import { BAD_REQUEST, refused } from '../refusal.ts';

const { http, namespace, watch } = await cluster();

const BMCS = '/apis/bmc.kubevirt.io/v1beta1';
let where = '';
let path = '';
beforeEach(async () => {
  where = await namespace();
  path = `/api/v1/namespaces/${where}/secrets`;
});

const versionOf = (object: unknown) => (object as WatchEvent['object']).metadata.resourceVersion ?? '';
const create = async (name: string, labels: Record<string, string> = {}): Promise<string> =>
  versionOf((await http('POST', path, { body: { metadata: { name, labels } } })).body);
const label = async (name: string, labels: Record<string, string | null>): Promise<string> => {
  const options = { body: { metadata: { labels } }, contentType: 'application/merge-patch+json' };
  return versionOf((await http('PATCH', `${path}/${name}`, options)).body);
};
const remove = async (name: string) => await http('DELETE', `${path}/${name}`);
const currentVersion = async (): Promise<string> => versionOf((await http('GET', path)).body);
const told = (events: WatchEvent[]) => events.map(({ type, object }) => `${type} ${object.metadata.name ?? ''}`.trim());
const saw = (line: string) => (events: WatchEvent[]) => told(events).includes(line);
const count = (number: number) => (events: WatchEvent[]) => events.length === number;

describe('a watch', () => {
  it.each(['', '&resourceVersion=0'])('without a version starts with the existing objects (%j)', async (from) => {
    await create('a');
    await create('b');
    const seen = watch(`${path}?watch=true${from}`, { until: saw('ADDED c') });
    await create('c');
    expect(told(await seen)).toEqual(['ADDED a', 'ADDED b', 'ADDED c']);
  });

  it('from a version has the changes since then, in order, with their versions', async () => {
    const start = await currentVersion();
    const versions = [await create('a'), await label('a', { colour: 'red' }), await create('b')];
    await remove('a');
    const events = await watch(`${path}?watch=true&resourceVersion=${start}`, { until: count(4) });
    expect(told(events)).toEqual(['ADDED a', 'MODIFIED a', 'ADDED b', 'DELETED a']);
    expect(events.slice(0, 3).map(({ object }) => versionOf(object))).toEqual(versions);
    expect(Number(versionOf(events[3]?.object))).toBeGreaterThan(Number(versions[2]));
    expect(events[0]?.object).toMatchObject({ kind: 'Secret', apiVersion: 'v1', type: 'Opaque' });
  });

  it('has the changes that happen during the watch', async () => {
    const start = await create('a');
    const seen = watch(`${path}?watch=1&resourceVersion=${start}`, { until: saw('DELETED a') });
    await label('a', { colour: 'red' });
    await remove('a');
    expect(told(await seen)).toEqual(['MODIFIED a', 'DELETED a']);
  });

  it('with a label selector has ADDED and DELETED for objects that start and stop to match', async () => {
    const start = await currentVersion();
    await create('a');
    await label('a', { colour: 'red' });
    await label('a', { size: 'big' });
    const left = await label('a', { colour: 'blue' });
    await label('a', { size: 'small' });
    await create('end', { colour: 'red' });
    const query = `watch=true&resourceVersion=${start}&labelSelector=colour%3Dred`;
    const events = await watch(`${path}?${query}`, { until: saw('ADDED end') });
    expect(told(events)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a', 'ADDED end']);
    // The last matching state, with the version of the change that ended the match.
    expect(events[2]?.object.metadata).toMatchObject({ labels: { colour: 'red', size: 'big' }, resourceVersion: left });
  });

  it('with a field selector has the events of one object', async () => {
    const start = await currentVersion();
    for (const name of ['a', 'b']) await create(name);
    for (const name of ['a', 'b']) await remove(name);
    const query = `watch=true&resourceVersion=${start}&fieldSelector=metadata.name%3Db`;
    expect(told(await watch(`${path}?${query}`, { until: saw('DELETED b') }))).toEqual(['ADDED b', 'DELETED b']);
  });

  it('of all namespaces has the events of each', async () => {
    const start = await currentVersion();
    await create('a');
    path = `/api/v1/namespaces/${await namespace()}/secrets`;
    await create('b');
    const events = await watch(`/api/v1/secrets?watch=true&resourceVersion=${start}`, { until: saw('ADDED b') });
    expect(told(events)).toEqual(expect.arrayContaining(['ADDED a', 'ADDED b']));
  });

  it('of custom resources has the same events', async () => {
    const bmcs = `${BMCS}/namespaces/${where}/virtualmachinebmcs`;
    const type = { apiVersion: 'bmc.kubevirt.io/v1beta1', kind: 'VirtualMachineBMC' };
    const spec = { virtualMachineRef: { name: 'vm' } };
    const created = await http('POST', bmcs, { body: { ...type, metadata: { name: 'one' }, spec } });
    await http('DELETE', `${bmcs}/one`);
    const query = `watch=true&resourceVersion=${Number(versionOf(created.body)) - 1}`;
    const events = await watch(`${bmcs}?${query}`, { until: saw('DELETED one') });
    expect(told(events)).toEqual(['ADDED one', 'DELETED one']);
    expect(events[0]?.object).toMatchObject(type);
  });

  it('ends after timeoutSeconds, also if its version is in the future', async () => {
    for (const more of ['', `&resourceVersion=${Number(await currentVersion()) + 1_000_000}`]) {
      const { status, body, headers } = await http('GET', `${path}?watch=true&timeoutSeconds=1${more}`);
      const type = headers['content-type'];
      expect({ status, body, type }).toEqual({ status: 200, body: undefined, type: 'application/json' });
    }
  });

  it('is requested by any value but 0 and false', async () => {
    await create('a');
    expect(told(await watch(`${path}?watch=&timeoutSeconds=2`, { until: count(1) }))).toEqual(['ADDED a']);
    for (const no of ['0', 'false', 'False'])
      expect((await http('GET', `${path}?watch=${no}`)).body).toMatchObject({ kind: 'SecretList' });
  });

  it('of a compacted version has one event, 410', async () => {
    // The kind is newer than version 1, so its history does not contain that version.
    const events = await eventually(() => watch(`${BMCS}/virtualmachinebmcs?watch=true&resourceVersion=1`));
    expect(events).toMatchObject([{ type: 'ERROR', object: { kind: 'Status', reason: 'Expired', code: 410 } }]);
  });

  it('with initial events of a future version has one event, 504', async () => {
    const query = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=999999999';
    const details = { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 1 };
    const events = await eventually(() => watch(`${path}?watch=true&${query}`));
    expect(events).toMatchObject([{ type: 'ERROR', object: { reason: 'Timeout', code: 504, details } }]);
  });

  it.each([
    ['resourceVersion=x', refused(500)],
    ['timeoutSeconds=x', BAD_REQUEST],
    ['labelSelector=(', BAD_REQUEST],
    ['fieldSelector=data%3Dx', BAD_REQUEST],
  ])('with %s is refused', async (query, expected) => {
    expect(await http('GET', `${path}?watch=true&${query}`)).toMatchObject(expected);
  });
});

describe('bookmarks', () => {
  const END = { 'k8s.io/initial-events-end': 'true' };
  const streaming = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
  const hasBookmark = (events: WatchEvent[]) => events.some(({ type }) => type === 'BOOKMARK');

  it.each([streaming, `${streaming}&resourceVersion=1`, '', 'resourceVersion=0'])(
    'end the initial events (%j)',
    async (query) => {
      const start = await create('a');
      await create('b');
      // A watch may begin with older data, until the cache of the server has followed.
      await watch(`${path}?watch=true&resourceVersion=${start}`, { until: saw('ADDED b') });
      const events = await watch(`${path}?watch=true&allowWatchBookmarks=true&${query}`, { until: hasBookmark });
      expect(told(events)).toEqual(['ADDED a', 'ADDED b', 'BOOKMARK']);
      const bookmark = events[2]?.object;
      const metadata = { resourceVersion: expect.any(String) as string, annotations: END };
      expect(bookmark).toEqual({ kind: 'Secret', apiVersion: 'v1', metadata });
      expect(Number(versionOf(bookmark))).toBeGreaterThanOrEqual(Number(versionOf(events[1]?.object)));
    },
  );

  it('end the initial events of custom resources', async () => {
    const bmcs = `${BMCS}/namespaces/${where}/virtualmachinebmcs`;
    // The first watch of a kind can come before the server is ready for it.
    const events = await eventually(() =>
      watch(`${bmcs}?watch=true&allowWatchBookmarks=true&${streaming}`, { until: hasBookmark }),
    );
    expect(events).toMatchObject([{ object: { kind: 'VirtualMachineBMC', metadata: { annotations: END } } }]);
  });

  it('are not sent unless the request allows them', async () => {
    await create('a');
    expect(told(await watch(`${path}?watch=true&${streaming}&timeoutSeconds=2`))).toEqual(['ADDED a']);
  });

  it('are not preceded by initial events if the request declines those', async () => {
    const start = await create('a');
    const query = `sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=${start}`;
    const seen = watch(`${path}?watch=true&${query}`, { until: count(1) });
    await create('late');
    expect(told(await seen)).toEqual(['ADDED late']);
  });

  it('contain the current version although no object matches', async () => {
    const start = await currentVersion();
    const query = `resourceVersion=${start}&labelSelector=none&allowWatchBookmarks=true&timeoutSeconds=5`;
    const state: { seen?: WatchEvent[] } = {};
    const watching = watch(`${path}?watch=true&${query}`).then((seen) => (state.seen = seen));
    // The server sends a bookmark shortly before the end of a watch if there are changes since its beginning.
    const unseen = Number(await create('unseen'));
    for (let round = 0; round < 50 && state.seen === undefined; round += 1) {
      await create(`unseen-${round}`);
      await sleep(200);
    }
    const events = await watching;
    expect(new Set(told(events))).toEqual(new Set(['BOOKMARK']));
    expect(Number(versionOf(events.at(-1)?.object))).toBeGreaterThanOrEqual(unseen);
    expect(Object.keys(events.at(-1)?.object.metadata ?? {})).toEqual(['resourceVersion']);
  });
});
