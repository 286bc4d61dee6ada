import { beforeAll, describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { BAD_REQUEST, CONFLICT, INVALID, NOT_FOUND, refused } from '../refusal.ts';

const { http, namespace, watch } = await cluster();

const MERGE = 'application/merge-patch+json';
let where = '';
beforeAll(async () => {
  where = await namespace();
});
let count = 0;
const core = (plural: string) => `/api/v1/namespaces/${where}/${plural}`;

interface Made {
  metadata: { name: string; uid: string; resourceVersion: string };
}

const make = async (plural: string, rest: object = {}, metadata: object = {}) => {
  const name = `a-${(count += 1)}`;
  const { status, body } = await http('POST', core(plural), { body: { metadata: { name, ...metadata }, ...rest } });
  expect(status, JSON.stringify(body)).toBe(201);
  return { name, path: `${core(plural)}/${name}`, body: body as Made };
};
const held = { finalizers: ['test.io/hold'] };
const pod = { spec: { containers: [{ name: 'a', image: 'b' }] } };
const scheduled = { spec: { ...pod.spec, nodeName: 'nowhere' } };
const removeFinalizers = async (path: string) =>
  await http('PATCH', path, { body: { metadata: { finalizers: null } }, contentType: MERGE });
const expectGone = async (path: string) => {
  expect(await http('GET', path)).toMatchObject(NOT_FOUND);
};

describe('the answer to a DELETE', () => {
  const ports = { spec: { ports: [{ port: 1 }] } };
  const storage = { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } };
  it.each<[string, object, string]>([
    ['configmaps', {}, 'Status'],
    ['secrets', {}, 'Status'],
    ['serviceaccounts', {}, 'ServiceAccount'],
    ['services', ports, 'Service'],
    ['pods', pod, 'Pod'],
    ['persistentvolumeclaims', storage, 'PersistentVolumeClaim'],
  ])('of %s contains the uid of the object', async (plural, rest, kind) => {
    const { name, path, body } = await make(plural, rest);
    const answer = await http('DELETE', path);
    const { uid } = body.metadata;
    const details = { status: 'Success', details: { name, kind: plural, uid } };
    expect(answer).toMatchObject({
      status: 200,
      body: { kind, ...(kind === 'Status' ? details : { metadata: { uid } }) },
    });
  });
});

describe('preconditions of a DELETE', () => {
  const other = '00000000-0000-0000-0000-000000000000';

  it.each([
    ['a ConfigMap', 'configmaps', {}],
    ['a Pod', 'pods', scheduled],
  ])('must be met by %s', async (_kind, plural, rest) => {
    const { path, body } = await make(plural, rest);
    const { uid, resourceVersion } = body.metadata;
    for (const preconditions of [{ uid: other }, { resourceVersion: '1' }, { uid, resourceVersion: '1' }])
      expect(await http('DELETE', path, { body: { preconditions } })).toMatchObject(CONFLICT);
    for (const query of [`uid=${other}`, 'resourceVersion=1'])
      expect(await http('DELETE', `${path}?${query}`)).toMatchObject(CONFLICT);
    const body_ = { preconditions: { uid, resourceVersion }, gracePeriodSeconds: 0 };
    expect((await http('DELETE', path, { body: body_ })).status).toBe(200);
    await expectGone(path);
  });

  it('must be met by a namespace', async () => {
    const path = `/api/v1/namespaces/${await namespace()}`;
    expect(await http('DELETE', path, { body: { preconditions: { uid: other } } })).toMatchObject(CONFLICT);
  });
});

describe('the options of a DELETE', () => {
  it.each<[string, Record<string, unknown>]>([
    ['an unknown policy', { propagationPolicy: 'Everything' }],
    ['an unknown dry run', { dryRun: ['Some'] }],
  ])('are refused with %s, also in the query', async (_what, body) => {
    const { path } = await make('configmaps');
    expect(await http('DELETE', path, { body })).toMatchObject(INVALID);
    const query = new URLSearchParams(
      Object.entries(body).map(([key, value]): [string, string] => [key, String(value)]),
    );
    expect(await http('DELETE', `${path}?${query.toString()}`)).toMatchObject(INVALID);
    expect((await http('GET', path)).status).toBe(200);
  });

  it('of another kind are refused', async () => {
    const { path } = await make('configmaps');
    const body = { kind: 'ConfigMap', apiVersion: 'v1', metadata: {} };
    expect(await http('DELETE', path, { body })).toMatchObject(refused(500));
    expect((await http('GET', path)).status).toBe(200);
  });

  it('for a dry run do not change the object', async () => {
    const deletionTimestamp = expect.any(String) as string;
    const [object, running] = [await make('configmaps', {}, held), await make('pods', scheduled)];
    expect(await http('DELETE', `${object.path}?dryRun=All`)).toMatchObject({
      body: { metadata: { deletionTimestamp } },
    });
    expect(await http('DELETE', `${running.path}?dryRun=All&gracePeriodSeconds=7`)).toMatchObject({
      body: { metadata: { deletionTimestamp, deletionGracePeriodSeconds: 7 } },
    });
    for (const { path, body } of [object, running]) expect((await http('GET', path)).body).toEqual(body);
    await removeFinalizers(object.path);
    await http('DELETE', running.path, { body: { gracePeriodSeconds: 0 } });
  });
});

describe('the deletion of a Pod', () => {
  const grace = async (path: string, options: object) => {
    const { body } = await http('DELETE', path, { body: options });
    return (body as { metadata: { deletionGracePeriodSeconds: number } }).metadata.deletionGracePeriodSeconds;
  };
  const kill = async (path: string) => await http('DELETE', path, { body: { gracePeriodSeconds: 0 } });

  it('is immediate if the Pod has completed', async () => {
    const { path } = await make('pods', scheduled);
    await http('PATCH', `${path}/status`, { body: { status: { phase: 'Succeeded' } }, contentType: MERGE });
    await http('DELETE', path);
    await expectGone(path);
  });

  it('has the grace period of its spec', async () => {
    const { path } = await make('pods', { spec: { ...scheduled.spec, terminationGracePeriodSeconds: 20 } });
    const before = Date.now();
    const { body } = await http('DELETE', path);
    const { metadata } = body as { metadata: { deletionTimestamp: string; deletionGracePeriodSeconds: number } };
    expect(metadata.deletionGracePeriodSeconds).toBe(20);
    const end = Date.parse(metadata.deletionTimestamp);
    expect(end).toBeGreaterThan(before + 18_000);
    expect(end).toBeLessThan(Date.now() + 21_000);
    expect((await http('GET', path)).status).toBe(200);
    await kill(path);
    await expectGone(path);
  });

  it.each([
    [5, 5],
    [-7, 1],
  ])('has the grace period of the request: %i → %i', async (gracePeriodSeconds, expected) => {
    const { path } = await make('pods', scheduled);
    expect(await grace(path, { gracePeriodSeconds })).toBe(expected);
    await kill(path);
  });

  it('can be repeated with a shorter grace period', async () => {
    const { path } = await make('pods', scheduled);
    expect(await grace(path, {})).toBe(30);
    expect(await grace(path, { gracePeriodSeconds: 60 })).toBe(30);
    expect(await grace(path, { gracePeriodSeconds: 10 })).toBe(10);
    expect(await grace(path, {})).toBe(10);
    expect((await http('GET', path)).body).toMatchObject({ metadata: { generation: 2 } });
    await kill(path);
    await expectGone(path);
  });

  it('without a grace period is two events', async () => {
    const { name, path, body } = await make('pods', scheduled);
    await kill(path);
    const query = `watch=1&resourceVersion=${body.metadata.resourceVersion}&fieldSelector=metadata.name=${name}`;
    expect(await watch(`${core('pods')}?${query}`, { until: ({ length }) => length === 2 })).toMatchObject([
      { type: 'MODIFIED', object: { metadata: { deletionGracePeriodSeconds: 0 } } },
      { type: 'DELETED', object: { metadata: { deletionGracePeriodSeconds: 0 } } },
    ]);
  });

  it('waits for its finalizers and for its grace period', async () => {
    const [first, second] = [await make('pods', scheduled, held), await make('pods', scheduled, held)];
    expect((await kill(first.path)).body).toMatchObject({ metadata: { deletionGracePeriodSeconds: 0, ...held } });
    await removeFinalizers(first.path);
    await expectGone(first.path);
    await http('DELETE', second.path);
    await removeFinalizers(second.path);
    expect((await http('GET', second.path)).status).toBe(200);
    await kill(second.path);
    await expectGone(second.path);
  });
});

describe('a DELETE of a collection', () => {
  interface List {
    items: { metadata: { labels: { name: string }; deletionTimestamp?: string } }[];
  }
  let label = '';
  const names = (body: unknown) => (body as List).items.map(({ metadata }) => metadata.labels.name);
  const three = async (metadata: object = {}) => {
    label = `m-${(count += 1)}`;
    for (const name of ['a', 'b', 'c'])
      await make('configmaps', {}, { name: `${label}-${name}`, labels: { mark: label, name }, ...metadata });
    return `${core('configmaps')}?labelSelector=mark=${label}`;
  };

  it.each([
    ['by labels', ',name!=b', ['a', 'c']],
    ['by fields', '&fieldSelector=metadata.name=LABEL-b', ['b']],
    ['up to a limit', '&limit=2', ['a', 'b']],
    ['that matches nothing', ',name=none', []],
    ['for a dry run', '&dryRun=All', ['a', 'b', 'c']],
  ])('%s deletes the matching objects and returns them', async (_what, more, expected) => {
    const path = await three();
    const answer = await http('DELETE', `${path}${more.replace('LABEL', label)}`);
    expect(answer).toMatchObject({ status: 200, body: { kind: 'ConfigMapList' } });
    expect(names(answer.body)).toEqual(expected);
    const deleted: readonly string[] = more.includes('dryRun') ? [] : expected;
    expect(names((await http('GET', path)).body)).toEqual(['a', 'b', 'c'].filter((name) => !deleted.includes(name)));
  });

  it('returns objects with finalizers as they were', async () => {
    const path = await three(held);
    const { items } = (await http('DELETE', path)).body as List;
    expect(items.map(({ metadata }) => metadata.deletionTimestamp)).toEqual([undefined, undefined, undefined]);
    for (const { metadata } of ((await http('GET', path)).body as List).items)
      expect(metadata.deletionTimestamp).toBeTypeOf('string');
    for (const name of ['a', 'b', 'c']) await removeFinalizers(`${core('configmaps')}/${label}-${name}`);
  });

  it('is refused with invalid options and selectors', async () => {
    const path = core('configmaps');
    expect(await http('DELETE', path, { body: { propagationPolicy: 'Some' } })).toMatchObject(INVALID);
    for (const query of ['labelSelector=a%20b%20c', 'fieldSelector=data.k=v'])
      expect(await http('DELETE', `${path}?${query}`)).toMatchObject(BAD_REQUEST);
  });

  it.each(['configmaps', 'namespaces', 'services'])('is not allowed in all namespaces: %s', async (plural) => {
    expect(await http('DELETE', `/api/v1/${plural}?labelSelector=mark=none`)).toMatchObject({ status: 405 });
  });
});
