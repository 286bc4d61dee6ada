import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { refusal } from '../refusal.ts';
import { answerOf, JSON_PATCH, writeScene, type Body } from './write-scene.ts';

const harness = await cluster();
const { http } = harness;
const { widgets, subjects, make, get, patch, unique } = writeScene(harness);

const rejected = refusal(422, 'Invalid', 'the server rejected our request due to an error in our request', {});

describe.each(subjects)('a JSON patch of %s', (_what, kind) => {
  const fresh = async () => {
    const name = unique();
    const object = await make(kind.path(), kind.object(name, { text: '1' }, { labels: { l: '1', m: '2' } }));
    return { name, object, path: kind.path(name) };
  };
  const send = async (name: string, body: string, query = '') =>
    await http('PATCH', kind.path(name, query), { body, contentType: JSON_PATCH });

  it.each([
    [
      { op: 'add', path: '/metadata/labels/n', value: '3' },
      { l: '1', m: '2', n: '3' },
    ],
    [
      { op: 'add', path: '/metadata/labels/l', value: '3' },
      { l: '3', m: '2' },
    ],
    [
      { op: 'add', path: '/metadata/labels/a~1b', value: '3' },
      { l: '1', m: '2', 'a/b': '3' },
    ],
    [{ op: 'remove', path: '/metadata/labels/m' }, { l: '1' }],
    [
      { op: 'replace', path: '/metadata/labels/m', value: '3' },
      { l: '1', m: '3' },
    ],
    [
      { op: 'copy', from: '/metadata/labels/l', path: '/metadata/labels/n' },
      { l: '1', m: '2', n: '1' },
    ],
    [
      { op: 'move', from: '/metadata/labels/l', path: '/metadata/labels/n' },
      { m: '2', n: '1' },
    ],
    [
      { op: 'test', path: '/metadata/labels', value: { m: '2', l: '1' } },
      { l: '1', m: '2' },
    ],
  ])('%j', async (operation, labels) => {
    const { object, path } = await fresh();
    const { status, body } = await patch(JSON_PATCH, path, [operation]);
    expect(status).toBe(200);
    expect((body as Body).metadata['labels']).toEqual(labels);
    expect((body as Body).metadata.uid).toBe(object.metadata.uid);
    expect(await get(path)).toEqual(body);
  });

  it('works one after the other, and as a whole or not at all', async () => {
    const { object, path } = await fresh();
    const set = { op: 'replace', path: '/metadata/labels/l', value: '2' };
    const test = (value: string) => ({ op: 'test', path: '/metadata/labels/l', value });
    expect(answerOf(await patch(JSON_PATCH, path, [set, test('1')]))).toEqual(rejected);
    expect(await get(path)).toEqual(object);
    expect((await patch(JSON_PATCH, path, [test('1'), set, test('2')])).status).toBe(200);
  });

  it.each([
    [{ op: 'test', path: '/metadata/labels/l', value: 'wrong' }],
    [{ op: 'test', path: '/none/none', value: 'x' }],
    [{ op: 'remove', path: '/metadata/labels/none' }],
    [{ op: 'replace', path: '/none/none', value: 'x' }],
    [{ op: 'add', path: '/none/none', value: 'x' }],
    [{ op: 'move', from: '/metadata/labels/none', path: '/metadata/labels/n' }],
    [{ op: 'copy', path: '/metadata/labels/n' }],
    [{ op: 'add', path: 'metadata/labels/q', value: 'x' }],
    [{ op: 'add' }],
    [{ op: 'other', path: '/metadata' }],
    [{ path: '/metadata' }],
  ])('that does not apply is rejected, without saying why: %j', async (operation) => {
    const { object, path } = await fresh();
    expect(answerOf(await patch(JSON_PATCH, path, [operation]))).toEqual(rejected);
    expect(await get(path)).toEqual(object);
  });

  it.each(['{}', '3', '[3]', '[{"op":3}]', '[{"op":"add","path":3}]', '', '[', 'x'])(
    'must be a list of operations: %j',
    async (body) => {
      const { name } = await fresh();
      expect(answerOf(await send(name, body))).toEqual(refusal(400, 'BadRequest'));
    },
  );

  it.each(['[]', 'null'])('may be empty: %s', async (body) => {
    const { name, object } = await fresh();
    expect(answerOf(await send(name, body))).toEqual({ status: 200, body: object });
  });

  it('of more than 10000 operations is refused', async () => {
    const { path } = await fresh();
    const operations = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/kind', value: kind.kind }));
    expect(answerOf(await patch(JSON_PATCH, path, operations))).toEqual(
      refusal(
        413,
        'RequestEntityTooLarge',
        'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
      ),
    );
  });

  it('cannot rename the object, nor take its name', async () => {
    const { name, path } = await fresh();
    const rename = [{ op: 'replace', path: '/metadata/name', value: 'z' }];
    expect(answerOf(await patch(JSON_PATCH, path, rename))).toEqual(
      refusal(400, 'BadRequest', `the name of the object (z) does not match the name on the URL (${name})`),
    );
    for (const operation of [
      { op: 'remove', path: '/metadata' },
      { op: 'replace', path: '', value: { kind: kind.kind, apiVersion: kind.apiVersion } },
    ]) {
      expect(answerOf(await patch(JSON_PATCH, path, [operation]))).toEqual(
        refusal(
          400,
          'BadRequest',
          `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
        ),
      );
    }
  });

  it('of what is not there is refused', async () => {
    expect(answerOf(await send('nope', '[]'))).toEqual(
      refusal(404, 'NotFound', `${kind.resource} "nope" not found`, kind.details('nope')),
    );
  });
});

describe('a JSON patch of a list', () => {
  const lists = async (operation: object) => {
    const name = unique();
    await make(widgets.path(), widgets.object(name, { list: ['a', 'b'], text: 'x' }));
    return await patch(JSON_PATCH, widgets.path(name), [operation]);
  };

  it.each([
    [{ op: 'add', path: '/spec/list/-', value: 'c' }, ['a', 'b', 'c']],
    [{ op: 'add', path: '/spec/list/0', value: 'c' }, ['c', 'a', 'b']],
    [{ op: 'add', path: '/spec/list/2', value: 'c' }, ['a', 'b', 'c']],
    [{ op: 'remove', path: '/spec/list/1' }, ['a']],
    [{ op: 'replace', path: '/spec/list/1', value: 'c' }, ['a', 'c']],
    [{ op: 'copy', from: '/spec/list/0', path: '/spec/list/-' }, ['a', 'b', 'a']],
    [{ op: 'move', from: '/spec/list/0', path: '/spec/list/1' }, ['b', 'a']],
    [{ op: 'test', path: '/spec/list/0', value: 'a' }, ['a', 'b']],
  ])('%j', async (operation, list) => {
    expect(await lists(operation)).toMatchObject({ status: 200, body: { spec: { list } } });
  });

  it.each([
    { op: 'add', path: '/spec/list/3', value: 'c' },
    { op: 'add', path: '/spec/list/x', value: 'c' },
    { op: 'remove', path: '/spec/list/2' },
    { op: 'remove', path: '/spec/list/-' },
    { op: 'replace', path: '/spec/list/2', value: 'c' },
    { op: 'test', path: '/spec/list/5', value: 'a' },
    { op: 'add', path: '/spec/text/x', value: 'c' },
  ])('%j is rejected', async (operation) => {
    expect(answerOf(await lists(operation))).toEqual(rejected);
  });
});
