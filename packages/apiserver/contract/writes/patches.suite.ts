import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { BAD_REQUEST, INVALID, NOT_FOUND, refused } from '../refusal.ts';
import { JSON_PATCH, MERGE, warningTexts, writeScene, type Body } from './write-scene.ts';

const harness = await cluster();
const { http } = harness;
const { widgets, subjects, make, get, patch, unique } = writeScene(harness);

describe.each(subjects)('a patch of %s', (_what, kind) => {
  const fresh = async () => {
    const name = unique();
    const object = await make(kind.path(), kind.object(name, { text: '1' }, { labels: { l: '1', m: '2' } }));
    return { object, path: kind.path(name) };
  };

  it.each<[string, unknown]>([
    [MERGE, {}],
    [MERGE, { metadata: { labels: { l: '1', none: null } } }],
    [MERGE, { metadata: { namespace: null, uid: null } }],
    [JSON_PATCH, []],
    [JSON_PATCH, 'null'],
    [`${MERGE}; charset=utf-8`, {}],
  ])('that does not change the object does not write: %s %j', async (contentType, body) => {
    const { object, path } = await fresh();
    expect(await patch(contentType, path, body)).toMatchObject({ status: 200, body: object });
    expect(await get(path)).toEqual(object);
  });

  const operation = { op: 'replace', path: '/metadata/name', value: 'z' };
  const tests = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/kind', value: kind.kind }));
  it.each<[string, string, unknown, object]>([
    ['a list', MERGE, '[]', BAD_REQUEST],
    ['a string', MERGE, '"x"', BAD_REQUEST],
    ['invalid JSON', MERGE, '{', BAD_REQUEST],
    ['an empty body', MERGE, '', BAD_REQUEST],
    ['null', MERGE, 'null', BAD_REQUEST],
    ['no metadata', MERGE, { metadata: null }, BAD_REQUEST],
    ['no name', MERGE, { metadata: { name: null } }, BAD_REQUEST],
    ['a label that is not a string', MERGE, { metadata: { labels: { l: 3 } } }, INVALID],
    ['an object', JSON_PATCH, '{}', BAD_REQUEST],
    ['a list of numbers', JSON_PATCH, '[3]', BAD_REQUEST],
    ['an operation with a wrong type', JSON_PATCH, '[{"op":"add","path":3}]', BAD_REQUEST],
    ['an empty body', JSON_PATCH, '', BAD_REQUEST],
    ['another name', JSON_PATCH, [operation], BAD_REQUEST],
    ['no metadata', JSON_PATCH, [{ op: 'remove', path: '/metadata' }], BAD_REQUEST],
    ['more than 10,000 operations', JSON_PATCH, tests, refused(413, 'RequestEntityTooLarge')],
    ['another media type', 'application/json', {}, refused(415, 'UnsupportedMediaType')],
  ])('is refused with %s (%s)', async (_name, contentType, body, expected) => {
    const { object, path } = await fresh();
    expect(await patch(contentType, path, body)).toMatchObject(expected);
    expect(await get(path)).toEqual(object);
  });

  it('is refused before it is parsed if the object does not exist', async () => {
    for (const contentType of [MERGE, JSON_PATCH])
      expect(await patch(contentType, kind.path('nope'), '[')).toMatchObject(NOT_FOUND);
  });

  it('is refused with the parameter force unless it is an apply', async () => {
    const { path } = await fresh();
    expect(await patch(MERGE, `${path}?force=true`, {})).toMatchObject(INVALID);
  });

  it('warns of unknown fields, refuses them or ignores them, depending on fieldValidation', async () => {
    const { path, object } = await fresh();
    const body = { metadata: { extra: 1 }, other: 1 };
    const warned = await patch(MERGE, path, body);
    expect(warned.body).toEqual(object);
    expect(warningTexts(warned).toSorted()).toEqual(['unknown field "metadata.extra"', 'unknown field "other"']);
    expect(await patch(MERGE, `${path}?fieldValidation=Strict`, body)).toMatchObject(INVALID);
    expect(warningTexts(await patch(MERGE, `${path}?fieldValidation=Ignore`, body))).toEqual([]);
  });

  it('applies the operations of a JSON patch in order', async () => {
    const { path } = await fresh();
    const labels = '/metadata/labels';
    const { status, body } = await patch(JSON_PATCH, path, [
      { op: 'test', path: labels, value: { m: '2', l: '1' } },
      { op: 'add', path: `${labels}/a~1b`, value: '3' },
      { op: 'replace', path: `${labels}/m`, value: '4' },
      { op: 'copy', from: `${labels}/m`, path: `${labels}/n` },
      { op: 'move', from: `${labels}/l`, path: `${labels}/o` },
      { op: 'remove', path: `${labels}/m` },
    ]);
    expect(status).toBe(200);
    expect((body as Body).metadata['labels']).toEqual({ 'a/b': '3', n: '4', o: '1' });
    expect(await get(path)).toEqual(body);
  });

  it.each([
    { op: 'test', path: '/metadata/labels/l', value: 'wrong' },
    { op: 'remove', path: '/metadata/labels/none' },
    { op: 'replace', path: '/none/none', value: 'x' },
    { op: 'add', path: '/none/none', value: 'x' },
    { op: 'move', from: '/metadata/labels/none', path: '/metadata/labels/n' },
    { op: 'copy', path: '/metadata/labels/n' },
    { op: 'add', path: 'metadata/labels/q', value: 'x' },
    { op: 'other', path: '/metadata' },
  ])('is refused as a whole if one operation fails: %j', async (one) => {
    const { object, path } = await fresh();
    const first = { op: 'replace', path: '/metadata/labels/l', value: '2' };
    expect(await patch(JSON_PATCH, path, [first, one])).toMatchObject(INVALID);
    expect(await get(path)).toEqual(object);
  });
});

describe('a patch of a list', () => {
  const lists = async (operation: object) => {
    const name = unique();
    await make(widgets.path(), widgets.object(name, { list: ['a', 'b'], text: 'x' }));
    return await patch(JSON_PATCH, widgets.path(name), [operation]);
  };

  it.each([
    [{ op: 'add', path: '/spec/list/-', value: 'c' }, ['a', 'b', 'c']],
    [{ op: 'add', path: '/spec/list/0', value: 'c' }, ['c', 'a', 'b']],
    [{ op: 'add', path: '/spec/list/2', value: 'c' }, ['a', 'b', 'c']],
    [{ op: 'replace', path: '/spec/list/1', value: 'c' }, ['a', 'c']],
    [{ op: 'copy', from: '/spec/list/0', path: '/spec/list/-' }, ['a', 'b', 'a']],
    [{ op: 'move', from: '/spec/list/0', path: '/spec/list/1' }, ['b', 'a']],
  ])('applies %j', async (operation, list) => {
    expect(await lists(operation)).toMatchObject({ status: 200, body: { spec: { list } } });
  });

  it.each([
    { op: 'add', path: '/spec/list/3', value: 'c' },
    { op: 'add', path: '/spec/list/x', value: 'c' },
    { op: 'remove', path: '/spec/list/2' },
    { op: 'remove', path: '/spec/list/-' },
    { op: 'add', path: '/spec/text/x', value: 'c' },
  ])('refuses %j', async (operation) => {
    expect(await lists(operation)).toMatchObject(INVALID);
  });

  it('replaces lists and sets defaults if it is a merge patch', async () => {
    const name = unique();
    const before = { list: ['a', 'b'], entries: [{ name: 'i' }, { name: 'j' }], preset: 'own' };
    await make(widgets.path(), widgets.object(name, before));
    const spec = { list: ['c'], entries: [{ name: 'k' }], preset: null, pair: { a: '1', b: null } };
    const { body } = await patch(MERGE, widgets.path(name), { spec });
    expect(body).toMatchObject({ metadata: { generation: 2 } });
    const entries = [{ name: 'k', preset: 'q' }];
    expect((body as Body).spec).toEqual({ list: ['c'], entries, preset: 'p', pair: { a: '1' } });
  });
});

describe('field validation', () => {
  it.each(subjects)('is the same for a create and a PUT of %s', async (_what, kind) => {
    const name = unique();
    const object = await make(kind.path(), kind.object(name));
    const writes = (query: string) => [
      http('POST', kind.path(undefined, `?dryRun=All${query}`), { body: { ...kind.object('new'), other: 1 } }),
      http('PUT', kind.path(name, `?dryRun=All${query}`), { body: { ...object, other: 1 } }),
    ];
    for (const write of writes('')) expect(warningTexts(await write)).toEqual(['unknown field "other"']);
    for (const write of writes('&fieldValidation=Warn')) expect(warningTexts(await write)).toHaveLength(1);
    for (const write of writes('&fieldValidation=Strict')) expect(await write).toMatchObject(BAD_REQUEST);
    for (const write of writes('&fieldValidation=Some')) expect(await write).toMatchObject(INVALID);
    for (const write of writes('&fieldValidation=Ignore')) {
      const { status, headers } = await write;
      expect({ status, warning: headers['warning'] }).toEqual({ status: expect.any(Number) as number });
      expect(status).toBeLessThan(300);
    }
  });

  it('names the paths of unknown fields in lists, maps and metadata, also in YAML', async () => {
    const send = async (body: unknown, contentType: string) =>
      warningTexts(await http('POST', `${widgets.path()}?dryRun=All`, { body, contentType })).toSorted();
    const body = {
      ...widgets.object('a', { x: 1, pair: { c: 1 }, entries: [{ name: 'a', z: 1 }], free: { any: 1 } }, { foo: 1 }),
      status: { zz: 1 },
    };
    const unknown = ['metadata.foo', 'spec.entries[0].z', 'spec.pair.c', 'spec.x', 'status.zz'];
    expect(await send(body, 'application/json')).toEqual(unknown.map((path) => `unknown field "${path}"`));
    const yaml = `apiVersion: ${widgets.apiVersion}\nkind: Widget\nmetadata: {name: a, foo: b}\nspec: {zz: 1}\n`;
    expect(await send(yaml, 'application/yaml')).toEqual(['unknown field "metadata.foo"', 'unknown field "spec.zz"']);
  });
});
