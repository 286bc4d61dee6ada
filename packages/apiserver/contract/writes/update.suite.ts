import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { BAD_REQUEST, CONFLICT, INVALID, NOT_FOUND, refused } from '../refusal.ts';
import { JSON_PATCH, MERGE, writeScene } from './write-scene.ts';

const harness = await cluster();
const { http } = harness;
const { configMaps, widgets, subjects, within, make, get, put, patch, unique } = writeScene(harness);

describe.each(subjects)('a PUT of %s', (_what, kind) => {
  const fresh = async () => {
    const name = unique();
    const before = await make(kind.path(), kind.object(name, { text: '1' }, { labels: { l: '1' } }));
    return { name, path: kind.path(name), before, version: { resourceVersion: before.metadata.resourceVersion } };
  };

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
  it('a JSON patch with a stale resourceVersion is refused', async () => {
    const name = unique();
    const { metadata } = await make(kind.path(), kind.object(name));
    const { body: changed } = await patch(MERGE, kind.path(name), { metadata: { labels: { changed: 'yes' } } });
    const replace = { op: 'replace', path: '/metadata/resourceVersion', value: metadata.resourceVersion };
    const remove = { op: 'remove', path: '/metadata/labels' };
    expect(await patch(JSON_PATCH, kind.path(name), [replace, remove])).toMatchObject(CONFLICT);
    expect(await get(kind.path(name))).toEqual(changed);
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
