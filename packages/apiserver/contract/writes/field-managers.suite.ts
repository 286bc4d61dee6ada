import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { INVALID } from '../refusal.ts';
import { APPLY, JSON_PATCH, MERGE, owns, ownersOf, STRATEGIC, writeScene, type Body } from './write-scene.ts';

const harness = await cluster();
const { http } = harness;
const { configMaps, widgets, subjects, make, get, patch, put, unique } = writeScene(harness);

const managersOf = (body: unknown) => (ownersOf(body) as { manager: string }[]).map(({ manager }) => manager);

describe('managedFields', () => {
  it('have an entry for each kind of write', async () => {
    const name = unique();
    const path = (manager: string) => configMaps.path(name, `?fieldManager=${manager}`);
    await make(configMaps.path(undefined, '?fieldManager=post'), configMaps.object(name, { a: '1' }));
    await patch(MERGE, path('merge'), { metadata: { labels: { m: '1' } } });
    await patch(JSON_PATCH, path('json'), [{ op: 'add', path: '/metadata/labels/j', value: '1' }]);
    await patch(STRATEGIC, path('strategic'), { metadata: { labels: { s: '1' } } });
    const current = await get(configMaps.path(name));
    await put(path('put'), { ...current, metadata: { ...current.metadata, annotations: { p: '1' } } });
    await patch(APPLY, path('apply'), configMaps.object(name, { b: '1' }));
    const label = (key: string, more: object = {}) => ({ 'f:metadata': { 'f:labels': { ...more, [`f:${key}`]: {} } } });
    expect(ownersOf(await get(configMaps.path(name)))).toEqual([
      owns('apply', { 'f:data': { 'f:b': {} } }, { operation: 'Apply' }),
      owns('json', label('j')),
      owns('merge', label('m', { '.': {} })),
      owns('post', { 'f:data': { '.': {}, 'f:a': {} } }),
      owns('put', { 'f:metadata': { 'f:annotations': { '.': {}, 'f:p': {} } } }),
      owns('strategic', label('s')),
    ]);
  });

  it('move to the manager that changes a field, and end with the field', async () => {
    const name = unique();
    await make(configMaps.path(undefined, '?fieldManager=one'), configMaps.object(name, { a: '1', b: '1' }));
    const changed = await patch(MERGE, configMaps.path(name, '?fieldManager=two'), { data: { a: '2', b: '1' } });
    expect(ownersOf(changed.body)).toEqual([
      owns('one', { 'f:data': { '.': {}, 'f:b': {} } }),
      owns('two', { 'f:data': { 'f:a': {} } }),
    ]);
    const removed = await patch(MERGE, configMaps.path(name, '?fieldManager=three'), { data: null });
    expect(ownersOf(removed.body)).toBeUndefined();
  });

  it('have the name of the program by default', async () => {
    const { body } = await http('POST', configMaps.path(), {
      body: configMaps.object(unique(), { a: '1' }),
      headers: { 'user-agent': 'kubectl/v1.34.0 (linux/amd64) kubernetes/abc' },
    });
    expect(managersOf(body)).toEqual(['kubectl']);
  });

  it('name items of lists by their keys', async () => {
    const values = { entries: [{ name: 'i' }], set: ['a'], list: ['b'], whole: { c: 'd' }, map: {} };
    const fields = {
      '.': {},
      'f:entries': { '.': {}, 'k:{"name":"i"}': { '.': {}, 'f:name': {}, 'f:preset': {} } },
      'f:list': {},
      'f:map': {},
      'f:preset': {},
      'f:set': { '.': {}, 'v:"a"': {} },
      'f:whole': {},
    };
    expect(ownersOf(await make(widgets.path(), widgets.object(unique(), values)))).toMatchObject([
      { fieldsV1: { 'f:spec': fields } },
    ]);
  });

  it.each([
    ['an empty list removes them', () => configMaps, [], undefined],
    ['an empty list keeps them', () => widgets, [], ['unknown']],
    ['an empty entry removes them', () => configMaps, [{}], undefined],
    ['an empty entry removes them', () => widgets, [{}], undefined],
    ['an absent list keeps them', () => configMaps, undefined, ['unknown']],
  ])('%s in a PUT (%#)', async (_what, kindOf, managedFields, expected) => {
    const kind = kindOf();
    const object = await make(kind.path(), kind.object(unique(), { text: '1' }));
    const { body } = await put(kind.path(object.metadata.name), {
      ...object,
      metadata: { ...object.metadata, managedFields },
    });
    expect((body as Body).metadata['managedFields'] && managersOf(body)).toEqual(expected);
  });

  it.each(subjects)('can be set at the creation of %s, and are ignored if they are invalid', async (_what, kind) => {
    const create = async (operation: string) => {
      const managedFields = [
        {
          manager: 'x',
          operation,
          apiVersion: kind.apiVersion,
          time: '2020-01-01T00:00:00Z',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:metadata': { 'f:labels': {} } },
        },
      ];
      const body = kind.object('x', undefined, { managedFields, labels: { a: 'b' } });
      return await http('POST', kind.path(undefined, '?dryRun=All&fieldManager=me'), { body });
    };
    expect(managersOf((await create('Update')).body)).toContain('me');
    expect(managersOf((await create('Other')).body)).toEqual(['me']);
  });

  it.each(['x'.repeat(129), '%01'])('cannot have the manager %s', async (manager) => {
    const body = configMaps.object('x');
    expect(await http('POST', configMaps.path(undefined, `?fieldManager=${manager}`), { body })).toMatchObject(INVALID);
  });
});
