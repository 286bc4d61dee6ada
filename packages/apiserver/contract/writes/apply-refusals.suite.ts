import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { refusal } from '../refusal.ts';
import { answerOf, APPLY, masked, warningTexts, writeScene, type Body } from './write-scene.ts';

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
  const badRequest = (message: string) => refusal(400, 'BadRequest', message);
  const type = `${kind.group === '' ? '/v1' : kind.apiVersion}, Kind=${kind.kind}`;
  const untyped = (problem: string) =>
    refusal(500, '', `failed to create typed patch object (/x; ${type}): ${problem}`);

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
    const version = kind.group === '' ? '/v1' : kind.apiVersion;
    expect(await send(object({ kind: undefined }))).toEqual(badRequest(`invalid object type: ${version}, Kind=`));
    expect(await send(object({ kind: 'X' }))).toEqual(badRequest(`invalid object type: ${version}, Kind=X`));
    expect(await send(object({ apiVersion: undefined }))).toEqual(
      badRequest(`invalid object type: /, Kind=${kind.kind}`),
    );
    expect(await send(object({ apiVersion: 'x/v1' }))).toEqual(
      badRequest(`invalid object type: x/v1, Kind=${kind.kind}`),
    );
    expect(await send({})).toEqual(badRequest('invalid object type: /, Kind='));
    expect(await send('')).toEqual(badRequest('invalid object type: /, Kind='));
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

  it.each([
    ['[]', 'array'],
    ['3', 'number'],
    ['x', 'string'],
  ])('is an object: %s', async (body, word) => {
    expect(await send(body)).toEqual(
      badRequest(
        `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${word} into Go value of type map[string]interface {}`,
      ),
    );
  });

  it('cannot have fields that its kind does not have, whatever is to be done with them', async () => {
    for (const query of ['', '&fieldValidation=Ignore'])
      expect(await send(object({ other: 1 }), 'x', `?fieldManager=me${query}`)).toEqual(
        untyped('.other: field not declared in schema'),
      );
    expect(await send(object({}, { other: 1 }))).toEqual(untyped('.metadata.other: field not declared in schema'));
  });

  it('gives fields the types that they have', async () => {
    expect(await send(object({}, { labels: 'x' }))).toEqual(untyped('.metadata.labels: expected map, got &{x}'));
    expect(await send(object({}, { labels: { a: 1 } }))).toEqual(
      untyped('.metadata.labels.a: expected string, got &value.valueUnstructured{Value:1}'),
    );
  });

  it('is in YAML, of which JSON is a part', async () => {
    const name = unique();
    const yaml = `# a comment\napiVersion: ${kind.apiVersion}\nkind: ${kind.kind}\nmetadata:\n  name: ${name}\n  labels: {a: b}\n`;
    expect(await send(yaml, name)).toMatchObject({ status: 201, body: { metadata: { labels: { a: 'b' } } } });
  });

  it('warns of keys that are there twice, or is refused', async () => {
    const body = JSON.stringify(kind.object('x', undefined, { labels: { a: '1' } })).replace(
      '"a":"1"',
      '"a":"1","a":"2"',
    );
    const path = kind.path('x', '?fieldManager=me&dryRun=All');
    const warned = await patch(APPLY, path, body);
    expect(warned).toMatchObject({ status: 201, body: { metadata: { labels: { a: '2' } } } });
    expect(warningTexts(warned)).toEqual(['line 1: key "a" already set in map']);
    expect(answerOf(await patch(APPLY, `${path}&fieldValidation=Strict`, body))).toEqual(
      badRequest(
        'error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 1: key "a" already set in map',
      ),
    );
    expect(warningTexts(await patch(APPLY, `${path}&fieldValidation=Ignore`, body))).toEqual([]);
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
  const untyped = (name: string, problem: string) =>
    refusal(500, '', `failed to create typed patch object (/${name}; ${widgets.apiVersion}, Kind=Widget): ${problem}`);

  it.each<[object, string]>([
    [{ set: ['a', 'a'] }, '.spec.set: duplicate entries for key [="a"]'],
    [{ entries: [{ name: 'a' }, { name: 'a' }] }, '.spec.entries: duplicate entries for key [name="a"]'],
    [
      { entries: [{ value: 'a' }] },
      '.spec.entries: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
    ],
    [{ entries: [null] }, '.spec.entries: element 0: associative list with keys may not have a null element'],
    [{ entries: ['x'] }, '.spec.entries: element 0: associative list with keys may not have non-map elements'],
    [{ number: 'x' }, '.spec.number: expected numeric (int or float), got string'],
    [{ flag: 'x' }, '.spec.flag: expected boolean, got &{x}'],
    [{ pair: 'x' }, '.spec.pair: expected map, got &{x}'],
    [{ list: 'x' }, '.spec.list: expected list, got &{x}'],
  ])('is refused where it cannot be merged: %j', async (spec, problem) => {
    const name = unique();
    const answer = await patch(APPLY, widgets.path(name, '?fieldManager=me'), { ...widgets.object(name), spec });
    expect(answerOf(answer)).toEqual(untyped(name, problem));
  });
});

describe('an apply with several fields that it cannot have', () => {
  it('is refused with all of them, in no order', async () => {
    const spec = { pair: { c: 1 }, entries: [{ name: 'x', z: 1 }] };
    const { status, body } = await patch(APPLY, widgets.path('x', '?fieldManager=me'), {
      ...widgets.object('x'),
      spec,
    });
    expect(status).toBe(500);
    const [first, ...lines] = String((body as Body)['message']).split('\n');
    expect(first).toMatch(/^failed to create typed patch object \(.*\): errors:$/);
    expect(lines.toSorted()).toEqual([
      '  .spec.entries[name="x"].z: field not declared in schema',
      '  .spec.pair.c: field not declared in schema',
    ]);
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
