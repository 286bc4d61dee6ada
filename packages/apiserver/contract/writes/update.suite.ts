import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { BAD_REQUEST, CONFLICT, INVALID, NOT_FOUND, refused } from '../refusal.ts';
import { APPLY, JSON_PATCH, masked, MERGE, writeScene } from './write-scene.ts';

const harness = await cluster();
const { http } = harness;
const { configMaps, widgets, subjects, within, make, get, put, patch, unique } = writeScene(harness);

describe.each(subjects)('a PUT of %s', (_what, kind) => {
  const fresh = async () => {
    const name = unique();
    const before = await make(kind.path(), kind.object(name, { text: '1' }, { labels: { l: '1' } }));
    return { name, path: kind.path(name), before, version: { resourceVersion: before.metadata.resourceVersion } };
  };

  it('replaces the object', async () => {
    const { name, path, version, before } = await fresh();
    const { status, body } = await put(path, kind.object(name, { text: '2' }, version));
    expect(status).toBe(200);
    expect(body).toMatchObject(kind.object(name, { text: '2' }));
    expect(body).not.toHaveProperty('metadata.labels');
    const { uid, creationTimestamp } = before.metadata;
    expect(body).toMatchObject({ metadata: { uid, creationTimestamp } });
    expect(await get(path)).toEqual(body);
  });

  it('without a change does not write', async () => {
    const { path, before } = await fresh();
    const { managedFields: _removed, ...metadata } = before.metadata;
    for (const body of [before, { ...before, metadata }]) expect((await put(path, body)).body).toEqual(before);
    expect(await get(path)).toEqual(before);
  });

  it.each([
    ['another name', { name: 'other' }, BAD_REQUEST],
    ['no name', { name: undefined }, BAD_REQUEST],
    ['another namespace', { namespace: 'other' }, BAD_REQUEST],
    ['another uid', { uid: 'other' }, CONFLICT],
    ['a resourceVersion that is not a number', { resourceVersion: 'x' }, refused(500)],
    ['a deletionTimestamp', { deletionTimestamp: '2000-01-01T00:00:00Z', deletionGracePeriodSeconds: 3 }, INVALID],
  ])('is refused with %s', async (_name, metadata, expected) => {
    const { path, before } = await fresh();
    expect(await put(path, { ...before, metadata: { ...before.metadata, ...metadata } })).toMatchObject(expected);
    expect(await get(path)).toEqual(before);
  });

  it('is refused if the object does not exist', async () => {
    for (const metadata of [{}, { resourceVersion: '5' }, { uid: 'u' }])
      expect(await put(kind.path('nope'), kind.object('nope', {}, metadata))).toMatchObject(NOT_FOUND);
  });

  it('without a resourceVersion overwrites a built-in kind and is refused for a custom kind', async () => {
    const { name, path } = await fresh();
    for (const metadata of [{}, { resourceVersion: '' }, { resourceVersion: '0' }])
      expect(await put(path, kind.object(name, {}, metadata))).toMatchObject(
        kind.group === '' ? { status: 200 } : INVALID,
      );
  });

  it('of a stale state is refused', async () => {
    const { path, before } = await fresh();
    await patch(MERGE, path, { metadata: { labels: { changed: 'yes' } } });
    expect(await put(path, before)).toMatchObject(CONFLICT);
    expect((await get(path)).metadata['labels']).toMatchObject({ changed: 'yes' });
  });
});

it('the generation counts changes of the spec only', async () => {
  const name = unique();
  const before = await make(widgets.path(), widgets.object(name, { text: '1' }));
  const labelled = { ...before, metadata: { ...before.metadata, labels: { a: 'b' }, generation: 99 } };
  const { body } = await put(widgets.path(name), labelled);
  expect(body).toMatchObject({ metadata: { generation: 1, labels: { a: 'b' } } });
  const changed = await put(widgets.path(name), { ...(body as object), spec: { text: '2' } });
  expect(changed).toMatchObject({ status: 200, body: { metadata: { generation: 2 } } });
});

it('a PUT of a collection is refused', async () => {
  expect(await put(configMaps.path(), configMaps.object('x'))).toMatchObject(refused(405, 'MethodNotAllowed'));
  expect([400, 405]).toContain((await put(widgets.path(), widgets.object('x'))).status);
});

describe('a PUT of a Lease', () => {
  const lease = (name: string, metadata = {}) => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, ...metadata },
    spec: { holderIdentity: 'me', leaseDurationSeconds: 15 },
  });
  const path = (name: string) => `${within('leases', 'coordination.k8s.io')}/${name}`;

  it('creates it if it does not exist', async () => {
    const { status, body } = await put(path('made'), lease('made', { resourceVersion: '5' }));
    expect(status).toBe(201);
    expect(await get(path('made'))).toEqual(body);
  });

  it('is refused with a uid if it does not exist', async () => {
    expect(await put(path('claimed'), lease('claimed', { uid: 'u' }))).toMatchObject(CONFLICT);
  });

  it('is refused without a resourceVersion if it exists', async () => {
    await put(path('held'), lease('held'));
    expect(await put(path('held'), lease('held'))).toMatchObject(INVALID);
  });
});

describe.each(subjects)('concurrent writes of %s', (_what, kind) => {
  it.each([
    ['merge patch', MERGE, (version: object) => ({ metadata: { ...version, labels: { changed: 'no' } } })],
    [
      'JSON patch',
      JSON_PATCH,
      ({ resourceVersion: value }: { resourceVersion: string }) => [
        { op: 'replace', path: '/metadata/resourceVersion', value },
        { op: 'remove', path: '/metadata/labels' },
      ],
    ],
    ['apply', APPLY, (version: object) => kind.object('stale', {}, { ...version, labels: { changed: 'no' } })],
  ])('a %s with a stale resourceVersion is refused', async (_name, contentType, body) => {
    const { metadata } = await make(kind.path(), kind.object('stale'));
    const { body: changed } = await patch(MERGE, kind.path('stale'), { metadata: { labels: { changed: 'yes' } } });
    const path = kind.path('stale', contentType === APPLY ? '?fieldManager=me&force=true' : '');
    const { resourceVersion } = metadata;
    expect(await patch(contentType, path, body({ resourceVersion }))).toMatchObject(CONFLICT);
    expect(await get(kind.path('stale'))).toEqual(changed);
    await http('DELETE', kind.path('stale'));
  });

  it('patches without a resourceVersion are retried by the server', async () => {
    const name = unique();
    await make(kind.path(), kind.object(name));
    const indexes = Array.from({ length: 5 }, (_, index) => index);
    const answers = await Promise.all(
      indexes.map((index) => patch(MERGE, kind.path(name), { metadata: { labels: { [`l${index}`]: 'v' } } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(indexes.map(() => 200));
    expect(Object.keys((await get(kind.path(name))).metadata['labels'] as object)).toHaveLength(5);
    const versions = answers.map(({ body }) => (body as { metadata: { resourceVersion: string } }).metadata);
    expect(new Set(versions.map(({ resourceVersion }) => resourceVersion)).size).toBe(5);
  });

  it('one of several PUTs of the same state succeeds', async () => {
    const name = unique();
    const before = await make(kind.path(), kind.object(name));
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd'].map((winner) =>
        put(kind.path(name), { ...before, metadata: { ...before.metadata, labels: { winner } } }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409]);
    expect(await get(kind.path(name))).toEqual(answers[statuses.indexOf(200)]?.body);
  });

  it('one of several creates of the same name succeeds', async () => {
    const name = unique();
    const creates = [1, 2, 3, 4].map(() => http('POST', kind.path(), { body: kind.object(name) }));
    const statuses = (await Promise.all(creates)).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409]);
  });
});

const DRY = '?dryRun=All';

describe.each(subjects)('a dry run of %s', (_what, kind) => {
  it('of a create returns the object without a resourceVersion and does not store it', async () => {
    const name = unique();
    const body = kind.object(name, { text: '1' }, { labels: { a: 'b' } });
    const dry = await http('POST', kind.path(undefined, DRY), { body });
    expect(dry.status).toBe(201);
    expect(await http('GET', kind.path(name))).toMatchObject(NOT_FOUND);
    const { resourceVersion: _removed, ...metadata } = (await make(kind.path(), body)).metadata;
    expect(masked(dry.body)).toMatchObject({ metadata: masked(metadata) });
    expect(dry.body).not.toHaveProperty('metadata.resourceVersion');
  });

  it.each([
    ['PUT', async (path: string, before: object) => await put(`${path}${DRY}`, { ...before, data: { b: '1' } })],
    ['merge patch', async (path: string) => await patch(MERGE, `${path}${DRY}`, { metadata: { labels: { a: 'b' } } })],
    [
      'apply',
      async (path: string, { metadata: { name } }: { metadata: { name: string } }) =>
        await patch(APPLY, `${path}${DRY}&fieldManager=me`, kind.object(name, {}, { labels: { a: 'b' } })),
    ],
    ['DELETE', async (path: string) => await http('DELETE', `${path}${DRY}`)],
    ['DELETE with options', async (path: string) => await http('DELETE', path, { body: { dryRun: ['All'] } })],
    ['DELETE of the collection', async () => await http('DELETE', kind.path(undefined, DRY))],
  ])('of a %s does not change the object', async (_name, send) => {
    const name = unique();
    const before = await make(kind.path(), kind.object(name, { text: '1' }));
    expect((await send(kind.path(name), before)).status).toBe(200);
    expect(await get(kind.path(name))).toEqual(before);
  });

  it('of an apply that creates does not store the object', async () => {
    const name = unique();
    expect((await patch(APPLY, kind.path(name, `${DRY}&fieldManager=me`), kind.object(name))).status).toBe(201);
    expect(await http('GET', kind.path(name))).toMatchObject(NOT_FOUND);
  });

  it.each(['POST', 'PUT', 'PATCH'] as const)('is refused with a value other than All: %s', async (method) => {
    const path = kind.path(method === 'POST' ? undefined : 'x', '?dryRun=some');
    const contentType = method === 'PATCH' ? MERGE : 'application/json';
    expect(await http(method, path, { body: kind.object('x'), contentType })).toMatchObject(INVALID);
  });
});

it('a dry run of a Service checks its node port and does not allocate it', async () => {
  const ports = [{ port: 80, nodePort: 31888 }];
  const service = (name: string) => ({ body: { metadata: { name }, spec: { type: 'NodePort', ports } } });
  const path = `${within('services')}${DRY}`;
  expect(await http('POST', path, service('dry'))).toMatchObject({ status: 201, body: { spec: { ports } } });
  await make(within('services'), service('real').body);
  expect(await http('POST', path, service('late'))).toMatchObject(INVALID);
  await http('DELETE', `${within('services')}/real`);
});

it('a dry run of a namespace status does not change the namespace', async () => {
  const path = '/api/v1/namespaces/default';
  const before = await get(path);
  expect((await patch(MERGE, `${path}/status${DRY}`, { metadata: { labels: { dry: 'run' } } })).status).toBe(200);
  expect((await get(path)).metadata['labels']).toEqual(before.metadata['labels']);
});
