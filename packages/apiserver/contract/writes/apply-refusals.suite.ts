import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { refusal } from '../refusal.ts';
import { answerOf, APPLY, masked, writeScene } from './write-scene.ts';

const harness = await cluster();
const { http } = harness;
const { configMaps, widgets, subjects, patch, unique } = writeScene(harness);

describe.each(subjects)('an apply of %s', (_what, kind) => {
  const send = async (body: unknown, name = 'x', query = '?fieldManager=me') =>
    answerOf(await patch(APPLY, kind.path(name, query), body));
  const object = (more: object = {}, metadata: object = {}) => ({
    ...kind.object('x', undefined, metadata as Record<string, unknown>),
    ...more,
  });
  const badRequest = (message?: string) => refusal(400, 'BadRequest', message);
  const untyped = refusal(500, '');

  it('needs a manager', async () => {
    const message = 'Required value: is required for apply patch';
    expect(await send(object(), 'x', '')).toEqual(
      refusal(422, 'Invalid', `PatchOptions.meta.k8s.io "" is invalid: fieldManager: ${message}`, {
        group: 'meta.k8s.io',
        kind: 'PatchOptions',
        causes: [{ reason: 'FieldValueRequired', message, field: 'fieldManager' }],
      }),
    );
  });

  it.each([[[]], [[{ manager: 'x' }]]])('must not say who manages fields: %j', async (managedFields) => {
    expect(await send(object({}, { managedFields }))).toEqual(badRequest('metadata.managedFields must be nil'));
  });

  it('may say that nobody does', async () => {
    const name = unique();
    expect((await send(kind.object(name, undefined, { managedFields: null }), name)).status).toBe(201);
  });

  it('says of what kind it is', async () => {
    for (const wrong of [{ kind: undefined }, { kind: 'X' }, { apiVersion: undefined }, { apiVersion: 'x/v1' }])
      expect(await send(object(wrong))).toEqual(badRequest());
    expect(await send({})).toEqual(badRequest());
    expect(await send('')).toEqual(badRequest());
  });

  it('is for the name and namespace of its path', async () => {
    expect(await send(object({}, { name: 'y' }))).toEqual(
      badRequest('the name of the object (y) does not match the name on the URL (x)'),
    );
    expect(await send(object({ metadata: {} }))).toEqual(
      badRequest('the name of the object (x based on URL) was undeterminable: name must be provided'),
    );
    expect(await send(object({}, { namespace: 'other' }))).toEqual(
      badRequest('the namespace of the provided object does not match the namespace sent on the request'),
    );
  });

  it.each(['[]', '3', 'x'])('is an object: %s', async (body) => {
    expect(await send(body)).toEqual(badRequest());
  });

  it('cannot have fields that its kind does not have, whatever is to be done with them', async () => {
    for (const query of ['', '&fieldValidation=Ignore'])
      expect(await send(object({ other: 1 }), 'x', `?fieldManager=me${query}`)).toEqual(untyped);
    expect(await send(object({}, { other: 1 }))).toEqual(untyped);
  });

  it('gives fields the types that they have', async () => {
    expect(await send(object({}, { labels: 'x' }))).toEqual(untyped);
    expect(await send(object({}, { labels: { a: 1 } }))).toEqual(untyped);
  });

  it('is in YAML, of which JSON is a part', async () => {
    const name = unique();
    const yaml = `# a comment\napiVersion: ${kind.apiVersion}\nkind: ${kind.kind}\nmetadata:\n  name: ${name}\n  labels: {a: b}\n`;
    expect(await send(yaml, name)).toMatchObject({ status: 201, body: { metadata: { labels: { a: 'b' } } } });
  });

  it('creates nothing in a namespace that is not there', async () => {
    const path = kind.path('x', '?fieldManager=me').replace(/namespaces\/[^/]+/, 'namespaces/not-there');
    expect(answerOf(await patch(APPLY, path, object()))).toEqual(
      refusal(404, 'NotFound', 'namespaces "not-there" not found', { name: 'not-there', kind: 'namespaces' }),
    );
  });

  it('leaves nothing where it is refused', async () => {
    expect((await http('GET', kind.path('x'))).status).toBe(404);
  });
});

describe('an apply of lists', () => {
  it.each([
    { set: ['a', 'a'] },
    { entries: [{ name: 'a' }, { name: 'a' }] },
    { entries: [{ value: 'a' }] },
    { entries: [null] },
    { entries: ['x'] },
    { number: 'x' },
    { flag: 'x' },
    { pair: 'x' },
    { list: 'x' },
  ])('is refused where it cannot be merged: %j', async (spec) => {
    const name = unique();
    const answer = await patch(APPLY, widgets.path(name, '?fieldManager=me'), { ...widgets.object(name), spec });
    expect(answerOf(answer)).toEqual(refusal(500, ''));
  });
});

describe('an apply of null', () => {
  it('is of no type for a custom kind, and the empty text for a built-in one', async () => {
    const name = unique();
    const custom = await patch(APPLY, widgets.path(name, '?fieldManager=me'), widgets.object(name, { text: null }));
    const message = 'Invalid value: "null": spec.text in body must be of type string: "null"';
    expect(answerOf(custom)).toEqual(
      widgets.invalid(name, { field: 'spec.text', reason: 'FieldValueTypeInvalid', message }),
    );
    const built = await patch(APPLY, configMaps.path(name, '?fieldManager=me'), configMaps.object(name, { a: null }));
    expect(masked(built.body)).toMatchObject({ data: { a: '' } });
  });
});
