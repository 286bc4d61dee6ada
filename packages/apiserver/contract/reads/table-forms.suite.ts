import { beforeAll, describe, expect, it } from 'vitest';
import { cluster, type WatchEvent } from '../../../../test/harness/index.ts';
import { BETA, cells, KUBECTL, tableScene, type Table } from './table-scene.ts';

const { http, namespace, watch } = await cluster();
const { table, create } = tableScene(http);

let where = '';
const inNamespace = (resource: string) => `/api/v1/namespaces/${where}/${resource}`;

beforeAll(async () => {
  where = await namespace();
  await create(inNamespace('secrets'), { metadata: { name: 'one' }, stringData: { a: '1' } });
  for (const name of ['a', 'b', 'c', 'd'])
    await create(inNamespace('services'), { metadata: { name }, spec: { clusterIP: 'None' } });
});

describe('a table', () => {
  it('comes with as much of its objects as is asked for', async () => {
    const objects = async (include: string) =>
      (await table(`${inNamespace('secrets')}?includeObject=${include}`)).rows.map(({ object }) => object);
    const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'one' } };
    expect(await objects('None')).toEqual([null]);
    expect(await objects('Metadata')).toMatchObject([partial]);
    expect(await objects('')).toMatchObject([partial]);
    expect(await objects('Object')).toMatchObject([{ kind: 'Secret', apiVersion: 'v1', data: { a: 'MQ==' } }]);
    expect(await http('GET', `${inNamespace('secrets')}?includeObject=All`, { accept: KUBECTL })).toMatchObject({
      status: 400,
      body: {
        reason: 'BadRequest',
        message: `Unable to convert to Table as requested: includeObject: Invalid value: "All": must be 'Metadata', 'Object', 'None', or empty`,
      },
    });
  });

  it('of v1beta1 says so in all its parts', async () => {
    const found = await table(inNamespace('secrets'), BETA);
    expect(found.apiVersion).toBe('meta.k8s.io/v1beta1');
    expect(found.rows[0]?.object).toMatchObject({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1beta1' });
  });

  it('comes in pages', async () => {
    const found = await table(`${inNamespace('services')}?limit=1`);
    expect(found.rows).toHaveLength(1);
    expect(found.metadata).toEqual({
      resourceVersion: expect.any(String) as string,
      continue: expect.any(String) as string,
      remainingItemCount: 3,
    });
  });

  it('of an object that is not there is a Status', async () => {
    expect(await http('GET', `${inNamespace('secrets')}/nope`, { accept: KUBECTL })).toMatchObject({
      status: 404,
      body: { kind: 'Status', reason: 'NotFound', message: 'secrets "nope" not found' },
    });
  });

  it('comes of a write, too, and of a deletion what else would', async () => {
    const path = inNamespace('secrets');
    const made = await http('POST', path, { body: { metadata: { name: 'made' } }, accept: KUBECTL });
    expect(made.status).toBe(201);
    expect(cells(made.body as Table)).toEqual([['made', 'Opaque', 0, 'AGE']]);
    expect((await http('DELETE', `${path}/made`, { accept: KUBECTL })).body).toMatchObject({
      kind: 'Status',
      status: 'Success',
    });
  });
});

describe('a watch of tables', () => {
  const asTable = ({ object }: WatchEvent) => object as unknown as Table;

  it('tells the columns once', async () => {
    const path = inNamespace('secrets');
    const start = asTable({ type: '', object: (await http('GET', path)).body as WatchEvent['object'] }).metadata;
    await create(path, { metadata: { name: 'watched' } });
    await http('DELETE', `${path}/watched`);
    const events = await watch(`${path}?watch=true&resourceVersion=${start.resourceVersion}`, {
      accept: KUBECTL,
      until: (seen) => seen.length === 2,
    });
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'DELETED']);
    const [added, deleted] = events.map(asTable);
    expect(added).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' });
    expect(added?.columnDefinitions).toHaveLength(4);
    expect(deleted?.columnDefinitions).toBeNull();
    expect(cells(deleted as Table)).toEqual([['watched', 'Opaque', 0, 'AGE']]);
    expect(deleted?.rows[0]?.object).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'watched' } });
  });

  it('has bookmarks in the form of a table', async () => {
    const [, bookmark] = await watch(
      `${inNamespace('secrets')}?watch=true&allowWatchBookmarks=true&fieldSelector=metadata.name%3Done`,
      { accept: KUBECTL, until: (seen) => seen.length === 2 },
    );
    expect(bookmark?.type).toBe('BOOKMARK');
    expect(bookmark?.object).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' });
  });
});
