import { beforeAll, describe, expect, it } from 'vitest';
import { cluster, eventually } from '../../../../test/harness/index.ts';
import { BAD_REQUEST, refused } from '../refusal.ts';

const { http, namespace, compact } = await cluster();

/** More changes of one kind than the embedded API server keeps in its history. */
const CHANGES = 700;
const FUTURE = 999_999_999;

interface List {
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
  items: { kind?: string; apiVersion?: string; metadata: { name: string; resourceVersion: string } }[];
}

let path = '';
beforeAll(async () => {
  path = `/api/v1/namespaces/${await namespace()}/secrets`;
  for (const name of ['b', 'a', 'c', 'd', 'e']) await create(name);
});

const create = async (name: string) =>
  await http('POST', path, { body: { metadata: { name, labels: { odd: String('ace'.includes(name)) } } } });
const list = async (query = ''): Promise<List> => {
  const { status, body } = await http('GET', `${path}?${query}`);
  expect(status).toBe(200);
  return body as List;
};
const names = ({ items }: List) => items.map(({ metadata }) => metadata.name);
const next = ({ metadata }: List) => `continue=${encodeURIComponent(metadata.continue ?? '')}`;
const ALL = ['a', 'b', 'c', 'd', 'e'];

describe('a list', () => {
  it('is sorted by name, and built-in items have no kind', async () => {
    const found = await list();
    expect(found).toMatchObject({ kind: 'SecretList', apiVersion: 'v1' });
    expect(names(found)).toEqual(ALL);
    expect(Object.keys(found.metadata)).toEqual(['resourceVersion']);
    for (const { kind, apiVersion, metadata } of found.items) {
      expect({ kind, apiVersion }).toEqual({});
      expect(Number(found.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(metadata.resourceVersion));
    }
  });

  it('of custom resources contains the kind of each item and an empty continue', async () => {
    const bmcs = `/apis/bmc.kubevirt.io/v1beta1/namespaces/${await namespace()}/virtualmachinebmcs`;
    const type = { apiVersion: 'bmc.kubevirt.io/v1beta1', kind: 'VirtualMachineBMC' };
    const spec = { virtualMachineRef: { name: 'vm' } };
    expect((await http('POST', bmcs, { body: { ...type, metadata: { name: 'one' }, spec } })).status).toBe(201);
    expect((await http('GET', bmcs)).body).toMatchObject({
      ...type,
      kind: 'VirtualMachineBMCList',
      metadata: { continue: '' },
      items: [type],
    });
  });

  it('of a namespace that does not exist is empty', async () => {
    expect(await http('GET', '/api/v1/namespaces/nowhere/secrets')).toMatchObject({
      status: 200,
      body: { kind: 'SecretList', items: [] },
    });
  });

  it.each([
    'resourceVersion=0',
    'resourceVersion=1',
    'resourceVersion=1&resourceVersionMatch=NotOlderThan',
    // The limit is ignored because the list comes from the cache.
    'resourceVersion=0&limit=1',
    'limit=-1',
  ])('with %s contains all objects', async (query) => {
    expect(names(await list(query))).toEqual(ALL);
  });

  it('with resourceVersionMatch=Exact or a limit shows the state of that version', async () => {
    const before = (await list()).metadata.resourceVersion;
    await create('late');
    const exact = await list(`resourceVersion=${before}&resourceVersionMatch=Exact`);
    expect(names(exact)).toEqual(ALL);
    expect(exact.metadata.resourceVersion).toBe(before);
    expect(names(await list(`resourceVersion=${before}&limit=500`))).toEqual(ALL);
    expect(names(await list(`resourceVersion=${before}`))).toEqual([...ALL, 'late']);
    await http('DELETE', `${path}/late`);
  });

  it.each(['', '&resourceVersionMatch=NotOlderThan', '&resourceVersionMatch=Exact', '&limit=1'])(
    'of a future resourceVersion is refused with the retry interval (%j)',
    async (more) => {
      expect(await http('GET', `${path}?resourceVersion=${FUTURE}${more}`)).toMatchObject({
        status: 504,
        body: {
          reason: 'Timeout',
          details: { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 1 },
        },
      });
    },
  );

  it.each([
    ['resourceVersion=x', BAD_REQUEST],
    ['resourceVersion=-1', BAD_REQUEST],
    ['limit=x', BAD_REQUEST],
    ['limit=', BAD_REQUEST],
    ['timeoutSeconds=x', BAD_REQUEST],
  ])('with %s is refused', async (query, expected) => {
    expect(await http('GET', `${path}?${query}`)).toMatchObject(expected);
  });
});

it.each<[string | number, object]>([
  ['0', { status: 200, body: { kind: 'Secret', metadata: { name: 'a' } } }],
  [FUTURE, refused(504, 'Timeout')],
  ['x', refused(500)],
])('a get can have a resourceVersion: %s', async (version, expected) => {
  expect(await http('GET', `${path}/a?resourceVersion=${version}`)).toMatchObject(expected);
});

describe('a list with a limit', () => {
  it('has the number of remaining items and a continue token', async () => {
    const first = await list('limit=2');
    expect(names(first)).toEqual(['a', 'b']);
    expect(first.metadata.remainingItemCount).toBe(3);
    const second = await list(`limit=2&${next(first)}`);
    expect(names(second)).toEqual(['c', 'd']);
    expect(second.metadata.remainingItemCount).toBe(1);
    const third = await list(`limit=2&${next(second)}`);
    expect(names(third)).toEqual(['e']);
    expect(Object.keys(third.metadata)).toEqual(['resourceVersion']);
    expect(names(await list(next(first)))).toEqual(['c', 'd', 'e']);
    expect(Object.keys((await list('limit=5')).metadata)).toEqual(['resourceVersion']);
  });

  it('shows the state of its first page on all pages', async () => {
    const first = await list('limit=2');
    await http('DELETE', `${path}/d`);
    await create('cc');
    const rest = await list(`limit=5&${next(first)}`);
    expect(names(rest)).toEqual(['c', 'd', 'e']);
    expect(rest.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    expect(names(await list('limit=10'))).toEqual(['a', 'b', 'c', 'cc', 'e']);
    await http('DELETE', `${path}/cc`);
    await create('d');
  });

  it('and a selector has no number of remaining items', async () => {
    const first = await list('limit=1&labelSelector=odd%3Dtrue');
    expect(names(first)).toEqual(['a']);
    expect(Object.keys(first.metadata).toSorted()).toEqual(['continue', 'resourceVersion']);
    expect(names(await list(`limit=5&labelSelector=odd%3Dtrue&${next(first)}`))).toEqual(['c', 'e']);
  });

  it('works for cluster-scoped kinds', async () => {
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const first = (await http('GET', `${definitions}?limit=1`)).body as List;
    expect(first.items).toHaveLength(1);
    const second = await http('GET', `${definitions}?limit=1&${next(first)}`);
    expect(names(second.body as List)).not.toEqual(names(first));
  });
});

describe('a continue token', () => {
  const encode = (token: unknown) => Buffer.from(JSON.stringify(token)).toString('base64url');

  it.each([
    'x',
    'aGVsbG8',
    encode({}),
    encode({ v: 'v9', rv: 1, start: 'a' }),
    encode({ v: 'meta.k8s.io/v1', start: 'a' }),
    encode({ v: 'meta.k8s.io/v1', rv: 1 }),
  ])('is refused if it is invalid: %s', async (token) => {
    expect(await http('GET', `${path}?limit=1&continue=${token}`)).toMatchObject(BAD_REQUEST);
  });

  it('of a compacted version gets 410', async () => {
    const first = await list('limit=2');
    const change = async (name: string) => {
      for (let count = 0; count < CHANGES / 5; count += 1)
        await http('PATCH', `${path}/${name}`, {
          body: { metadata: { annotations: { count: String(count) } } },
          contentType: 'application/merge-patch+json',
        });
    };
    await Promise.all(ALL.map(change));
    await create('bb');
    await compact();
    await eventually(
      async () => {
        const answer = await http('GET', `${path}?limit=2&${next(first)}`);
        expect(answer).toMatchObject(refused(410, 'Expired'));
      },
      { timeout: 30_000, interval: 500 },
    );
    const exact = `resourceVersion=${first.metadata.resourceVersion}&resourceVersionMatch=Exact`;
    expect(await http('GET', `${path}?${exact}`)).toMatchObject(refused(410, 'Expired'));
  });
});
