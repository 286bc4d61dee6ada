import { beforeAll, describe, expect, it } from 'vitest';
import { cluster, eventually } from '../../../../test/harness/index.ts';

const { http, namespace, compact } = await cluster();

/** More changes than the embedded API server remembers of one kind. */
const CHANGES = 700;
const EXPIRED =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

interface Page {
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
  items: { metadata: { name: string } }[];
}

let path = '';

beforeAll(async () => {
  path = `/api/v1/namespaces/${await namespace()}/secrets`;
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    await http('POST', path, { body: { metadata: { name, labels: { odd: String('ace'.includes(name)) } } } });
});

async function page(query: string): Promise<Page> {
  const { status, body } = await http('GET', `${path}?${query}`);
  expect(status).toBe(200);
  return body as Page;
}

/** Changes an object many times. */
async function change(name: string, times: number): Promise<void> {
  for (let count = 0; count < times; count += 1) {
    await http('PATCH', `${path}/${name}`, {
      body: { metadata: { annotations: { count: String(count) } } },
      contentType: 'application/merge-patch+json',
    });
  }
}

const next = ({ metadata }: Page) => `continue=${encodeURIComponent(metadata.continue ?? '')}`;
const names = ({ items }: Page) => items.map(({ metadata }) => metadata.name);

const refusal = (status: number, reason: string, message: string, metadata: object = {}) => ({
  status,
  body: { kind: 'Status', apiVersion: 'v1', metadata, status: 'Failure', message, reason, code: status },
});

describe('a list in pages', () => {
  it('says how many are left, and where to go on', async () => {
    const first = await page('limit=2');
    expect(names(first)).toEqual(['a', 'b']);
    expect(first.metadata.remainingItemCount).toBe(3);
    const second = await page(`limit=2&${next(first)}`);
    expect(names(second)).toEqual(['c', 'd']);
    expect(second.metadata.remainingItemCount).toBe(1);
    const third = await page(`limit=2&${next(second)}`);
    expect(names(third)).toEqual(['e']);
    expect(Object.keys(third.metadata)).toEqual(['resourceVersion']);
  });

  it('goes on without a limit to the end', async () => {
    expect(names(await page(next(await page('limit=1'))))).toEqual(['b', 'c', 'd', 'e']);
  });

  it('shows what was there when it began, whatever is written meanwhile', async () => {
    const first = await page('limit=2');
    await http('DELETE', `${path}/d`);
    await http('POST', path, { body: { metadata: { name: 'cc' } } });
    const rest = await page(`limit=5&${next(first)}`);
    expect(names(rest)).toEqual(['c', 'd', 'e']);
    expect(rest.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    expect(names(await page('limit=10'))).toEqual(['a', 'b', 'c', 'cc', 'e']);
    await http('DELETE', `${path}/cc`);
    await http('POST', path, { body: { metadata: { name: 'd' } } });
  });

  it('by a selector does not count what is left', async () => {
    const first = await page('limit=1&labelSelector=odd%3Dtrue');
    expect(names(first)).toEqual(['a']);
    expect(first.metadata).toEqual({
      resourceVersion: expect.any(String) as string,
      continue: expect.any(String) as string,
    });
    expect(names(await page(`limit=5&labelSelector=odd%3Dtrue&${next(first)}`))).toEqual(['c', 'e']);
  });

  it('ends where a page holds all', async () => {
    expect(Object.keys((await page('limit=5')).metadata)).toEqual(['resourceVersion']);
  });

  it('of custom resources and of cluster-scoped ones goes the same way', async () => {
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const { body } = await http('GET', `${definitions}?limit=1&fieldSelector=metadata.name!%3Dx`);
    const first = body as Page;
    expect(first.items).toHaveLength(1);
    const second = await http('GET', `${definitions}?limit=1&${next(first)}`);
    expect(second.status).toBe(200);
    expect(names(second.body as Page)).not.toEqual(names(first));
  });
});

describe('a continue token', () => {
  const encode = (token: unknown) => Buffer.from(JSON.stringify(token)).toString('base64url');

  it.each([
    'x',
    'a%40b',
    'aGVsbG8',
    encode({}),
    encode({ v: 'v9', rv: 1, start: 'a' }),
    encode({ v: 'meta.k8s.io/v1', start: 'a' }),
    encode({ v: 'meta.k8s.io/v1', rv: 1 }),
  ])('%s is refused', async (token) => {
    expect(await http('GET', `${path}?limit=1&continue=${token}`)).toMatchObject({
      status: 400,
      body: { reason: 'BadRequest' },
    });
  });

  it('goes with no resourceVersion', async () => {
    const first = await page('limit=1');
    expect(
      await http('GET', `${path}?limit=1&resourceVersion=${first.metadata.resourceVersion}&${next(first)}`),
    ).toMatchObject(refusal(400, 'BadRequest', 'specifying resource version is not allowed when using continue'));
  });

  it('of what is forgotten gets 410, and another that goes on without the snapshot', async () => {
    const first = await page('limit=2');
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => change(name, CHANGES / 5)));
    await http('POST', path, { body: { metadata: { name: 'bb' } } });
    await compact();
    const refused = await eventually(
      async () => {
        const answer = await http('GET', `${path}?limit=2&${next(first)}`);
        expect(answer).toMatchObject(refusal(410, 'Expired', EXPIRED, { continue: expect.any(String) as string }));
        return answer.body as Page;
      },
      { timeout: 30_000, interval: 500 },
    );
    expect(names(await page(`limit=3&${next(refused)}`))).toEqual(['bb', 'c', 'd']);
    expect(
      await http('GET', `${path}?resourceVersion=${first.metadata.resourceVersion}&resourceVersionMatch=Exact`),
    ).toMatchObject(refusal(410, 'Expired', 'The resourceVersion for the provided list is too old.'));
  });
});
