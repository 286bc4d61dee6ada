import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { refusal } from '../refusal.ts';
import { answerOf, APPLY, JSON_PATCH, MERGE, owns, ownersOf, STRATEGIC, writeScene, type Body } from './write-scene.ts';

const harness = await cluster();
const { http } = harness;
const { configMaps, widgets, subjects, make, get, patch, put, unique } = writeScene(harness);

/** By manager, since those of one second are in no order that matters. */
const byManager = (body: unknown) =>
  (ownersOf(body) as { manager: string }[]).toSorted((a, b) => a.manager.localeCompare(b.manager));
const labels = (...names: string[]) => ({
  'f:metadata': { 'f:labels': { '.': {}, ...Object.fromEntries(names.map((name) => [`f:${name}`, {}])) } },
});

describe('who wrote a field', () => {
  it('is recorded of each way to write', async () => {
    const name = unique();
    const path = (manager: string) => configMaps.path(name, `?fieldManager=${manager}`);
    await make(configMaps.path(undefined, '?fieldManager=post'), configMaps.object(name, { a: '1' }));
    await patch(MERGE, path('merge'), { metadata: { labels: { m: '1' } } });
    await patch(JSON_PATCH, path('json'), [{ op: 'add', path: '/metadata/labels/j', value: '1' }]);
    await patch(STRATEGIC, path('strategic'), { metadata: { labels: { s: '1' } } });
    const current = await get(configMaps.path(name));
    const { metadata } = current;
    await put(path('put'), { ...current, metadata: { ...metadata, annotations: { p: '1' } } });
    await patch(APPLY, path('apply'), configMaps.object(name, { b: '1' }));
    const label = (key: string) => ({ 'f:metadata': { 'f:labels': { [`f:${key}`]: {} } } });
    expect(byManager(await get(configMaps.path(name)))).toEqual([
      owns('apply', { 'f:data': { 'f:b': {} } }, { operation: 'Apply' }),
      owns('json', label('j')),
      owns('merge', labels('m')),
      owns('post', { 'f:data': { '.': {}, 'f:a': {} } }),
      owns('put', { 'f:metadata': { 'f:annotations': { '.': {}, 'f:p': {} } } }),
      owns('strategic', label('s')),
    ]);
  });

  it('is the one who changed it last', async () => {
    const name = unique();
    await make(configMaps.path(undefined, '?fieldManager=one'), configMaps.object(name, { a: '1', b: '1' }));
    const changed = await patch(MERGE, configMaps.path(name, '?fieldManager=two'), { data: { a: '2', b: '1' } });
    expect(byManager(changed.body)).toEqual([
      owns('one', { 'f:data': { '.': {}, 'f:b': {} } }),
      owns('two', { 'f:data': { 'f:a': {} } }),
    ]);
    const removed = await patch(MERGE, configMaps.path(name, '?fieldManager=three'), { data: null });
    expect(ownersOf(removed.body)).toBeUndefined();
  });

  it('is named after the program where it is not said', async () => {
    const name = unique();
    await http('POST', configMaps.path(), {
      body: configMaps.object(name, { a: '1' }),
      headers: { 'user-agent': 'kubectl/v1.34.0 (linux/amd64) kubernetes/abc' },
    });
    expect(ownersOf(await get(configMaps.path(name)))).toEqual([owns('kubectl', { 'f:data': { '.': {}, 'f:a': {} } })]);
  });

  it('is recorded of items of lists by their keys', async () => {
    const name = unique();
    const body = widgets.object(name, {
      entries: [{ name: 'i' }],
      set: ['a'],
      list: ['b'],
      whole: { c: 'd' },
      map: {},
    });
    expect(ownersOf(await make(widgets.path(), body))).toEqual([
      owns(
        'unknown',
        {
          'f:spec': {
            '.': {},
            'f:entries': { '.': {}, 'k:{"name":"i"}': { '.': {}, 'f:name': {}, 'f:preset': {} } },
            'f:list': {},
            'f:map': {},
            'f:preset': {},
            'f:set': { '.': {}, 'v:"a"': {} },
            'f:whole': {},
          },
        },
        { apiVersion: widgets.apiVersion },
      ),
    ]);
  });

  it('is merged when there are more than ten who update', async () => {
    const name = unique();
    await make(configMaps.path(undefined, '?fieldManager=m00'), configMaps.object(name, { a: '1' }));
    for (let index = 0; index < 13; index += 1) {
      const manager = `m${String(index).padStart(2, '0')}`;
      await patch(MERGE, configMaps.path(name, `?fieldManager=${manager}`), {
        metadata: { labels: { [`k${index}`]: 'v' } },
      });
    }
    const managers = (ownersOf(await get(configMaps.path(name))) as { manager: string }[]).map(
      ({ manager }) => manager,
    );
    expect(managers).toHaveLength(10);
    expect(managers).toContain('ancient-changes');
  });
});

describe('managed fields that are an empty list', () => {
  it('are a request to forget them for a built-in kind, and none for a custom one', async () => {
    const name = unique();
    for (const kind of [configMaps, widgets]) {
      const object = await make(kind.path(), kind.object(name, { text: '1' }));
      const { body } = await put(kind.path(name), { ...object, metadata: { ...object.metadata, managedFields: [] } });
      expect((body as Body).metadata['managedFields']).toEqual(
        kind === widgets ? object.metadata['managedFields'] : undefined,
      );
    }
  });
});

describe.each(subjects)('the managed fields of %s', (_what, kind) => {
  const fresh = async () => {
    const name = unique();
    return { name, path: kind.path(name), object: await make(kind.path(), kind.object(name, { text: '1' })) };
  };

  it('can be forgotten', async () => {
    const { path, object } = await fresh();
    const { body } = await put(path, { ...object, metadata: { ...object.metadata, managedFields: [{}] } });
    expect((body as Body).metadata).not.toHaveProperty('managedFields');
  });

  it('come back when they are left out of a PUT', async () => {
    const { path, object } = await fresh();
    const { managedFields, ...metadata } = object.metadata;
    const { body } = await put(path, { ...object, metadata: { ...metadata, labels: { a: 'b' } } });
    expect(ownersOf(body)).toEqual([
      {
        ...(ownersOf(object) as object[])[0],
        fieldsV1: { ...(managedFields as { fieldsV1: object }[])[0]?.fieldsV1, ...labels('a') },
      },
    ]);
  });

  it('can be set, and are left aside when they make no sense', async () => {
    const entry = (more: object) => ({
      manager: 'x',
      operation: 'Update',
      apiVersion: kind.apiVersion,
      time: '2020-01-01T00:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:metadata': { 'f:labels': {} } },
      ...more,
    });
    const dry = async (managedFields: unknown[]) =>
      await http('POST', kind.path(undefined, '?dryRun=All&fieldManager=me'), {
        body: kind.object('x', undefined, { managedFields, labels: { a: 'b' } }),
      });
    const { status, body } = await dry([entry({})]);
    expect(status).toBe(201);
    expect(byManager(body).map(({ manager }) => manager)).toContain('me');
    const other = await dry([entry({ operation: 'Other' })]);
    expect(other.status).toBe(201);
    expect(byManager(other.body).map(({ manager }) => manager)).toEqual(['me']);
  });

  it('have managers whose names can be read', async () => {
    const long = 'Too long: may not be more than 128 bytes';
    const refused = (reason: string, message: string) =>
      refusal(422, 'Invalid', `CreateOptions.meta.k8s.io "" is invalid: fieldManager: ${message}`, {
        group: 'meta.k8s.io',
        kind: 'CreateOptions',
        causes: [{ reason, message, field: 'fieldManager' }],
      });
    const post = async (manager: string) =>
      answerOf(await http('POST', kind.path(undefined, `?fieldManager=${manager}`), { body: kind.object('x') }));
    expect(await post('x'.repeat(129))).toEqual(refused('FieldValueTooLong', long));
    expect(await post('%01')).toMatchObject({
      status: 422,
      body: { reason: 'Invalid', details: { causes: [{ field: 'fieldManager', reason: 'FieldValueInvalid' }] } },
    });
  });
});
