import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { refusal } from '../refusal.ts';
import { answerOf, masked, MERGE, warningTexts, writeScene } from './write-scene.ts';

const harness = await cluster();
const { http } = harness;
const { configMaps, widgets, subjects, make, get, patch, unique } = writeScene(harness);

describe.each(subjects)('a merge patch of %s', (_what, kind) => {
  const texts = kind.group === '' ? 'data' : 'spec';
  const fresh = async () => {
    const name = unique();
    const object = await make(kind.path(), kind.object(name, { text: '1' }, { labels: { l: '1', m: '1' } }));
    return { name, object, path: kind.path(name) };
  };
  const send = async (name: string, body: string, query = '') =>
    await http('PATCH', kind.path(name, query), { body, contentType: MERGE });

  it('changes what it has, takes away what is null, and leaves the rest', async () => {
    const { object, path } = await fresh();
    const { status, body } = await patch(MERGE, path, { metadata: { labels: { l: null, n: '2' } } });
    expect(status).toBe(200);
    expect(body).toMatchObject({ [texts]: object[texts] });
    expect((body as typeof object).metadata['labels']).toEqual({ m: '1', n: '2' });
    expect(await get(path)).toEqual(body);
    const none = await patch(MERGE, path, { metadata: { labels: null } });
    expect(none.body).not.toHaveProperty('metadata.labels');
  });

  it.each([{}, { metadata: { labels: { l: '1' } } }, { metadata: { labels: { none: null } } }])(
    'that changes nothing writes nothing: %j',
    async (body) => {
      const { object, path } = await fresh();
      const answer = await patch(MERGE, path, body);
      expect(answerOf(answer)).toEqual({ status: 200, body: object });
      expect(await get(path)).toEqual(object);
    },
  );

  it.each(['[]', '3', '"x"', '{', '', 'x', 'null'])('must be an object: %j', async (body) => {
    const { name } = await fresh();
    expect(answerOf(await send(name, body))).toEqual(refusal(400, 'BadRequest'));
  });

  it.each([{ metadata: null }, { metadata: { name: null } }])('cannot take the name: %j', async (body) => {
    const { name, path } = await fresh();
    expect(answerOf(await patch(MERGE, path, body))).toEqual(
      refusal(
        400,
        'BadRequest',
        `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
      ),
    );
  });

  it('need not repeat what it is of', async () => {
    const { object, path } = await fresh();
    for (const body of [{ metadata: { namespace: null } }, { metadata: { uid: null } }])
      expect((await patch(MERGE, path, body)).body).toEqual(object);
  });

  it('of what is not there is refused before it is read', async () => {
    const missing = refusal(404, 'NotFound', `${kind.resource} "nope" not found`, kind.details('nope'));
    expect(answerOf(await send('nope', '{}'))).toEqual(missing);
    expect(answerOf(await send('nope', '['))).toEqual(missing);
  });

  it('warns of what the kind does not know, or is refused, or says nothing', async () => {
    const { name, object } = await fresh();
    const body = '{"metadata":{"extra":1},"other":1}';
    const warned = await send(name, body);
    expect(warningTexts(warned).toSorted()).toEqual(['unknown field "metadata.extra"', 'unknown field "other"']);
    expect(warned.body).toEqual(object);
    const strict = await send(name, '{"other":1}', '?fieldValidation=Strict');
    expect(strict).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
    expect((strict.body as { message: string }).message).toContain('unknown field "other"');
    expect(warningTexts(await send(name, body, '?fieldValidation=Ignore'))).toEqual([]);
  });

  it('gives fields the types that they have', async () => {
    const { path } = await fresh();
    const answer = await patch(MERGE, path, { metadata: { labels: { l: 3 } } });
    expect(answer).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
  });

  it('cannot be forced', async () => {
    const { name } = await fresh();
    const message = 'Forbidden: may not be specified for non-apply patch';
    expect(answerOf(await send(name, '{}', '?force=true'))).toEqual(
      refusal(422, 'Invalid', `PatchOptions.meta.k8s.io "" is invalid: force: ${message}`, {
        group: 'meta.k8s.io',
        kind: 'PatchOptions',
        causes: [{ reason: 'FieldValueForbidden', message, field: 'force' }],
      }),
    );
  });

  it('may be sent with parameters of its type', async () => {
    const { path } = await fresh();
    expect((await patch(`${MERGE}; charset=utf-8`, path, {})).status).toBe(200);
  });
});

describe('a merge patch', () => {
  it('replaces lists', async () => {
    const name = unique();
    await make(widgets.path(), widgets.object(name, { list: ['a', 'b'], entries: [{ name: 'i' }, { name: 'j' }] }));
    const spec = { list: ['c'], entries: [{ name: 'k' }], pair: { a: '1', b: null } };
    expect(masked((await patch(MERGE, widgets.path(name), { spec })).body)).toMatchObject({
      metadata: { generation: 2 },
      spec: { list: ['c'], entries: [{ name: 'k', preset: 'q' }], pair: { a: '1' } },
    });
  });

  it('sets what is taken away to its default', async () => {
    const name = unique();
    await make(widgets.path(), widgets.object(name, { preset: 'own' }));
    expect((await patch(MERGE, widgets.path(name), { spec: { preset: null } })).body).toMatchObject({
      spec: { preset: 'p' },
    });
  });
});

describe('a patch of a type that is none', () => {
  it.each(['application/json', 'text/plain', 'application/yaml'])('is refused: %s', async (contentType) => {
    await http('POST', configMaps.path(), { body: configMaps.object('typed') });
    await http('POST', widgets.path(), { body: widgets.object('typed') });
    const built = await patch(contentType, configMaps.path('typed'), {});
    expect(built).toMatchObject({ status: 415, body: { reason: 'UnsupportedMediaType' } });
    const custom = await patch(contentType, widgets.path('typed'), {});
    expect(custom).toMatchObject({ status: 415, body: { reason: 'UnsupportedMediaType' } });
  });
});
