import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { BAD_REQUEST, CONFLICT, INVALID, NOT_FOUND, refused } from '../refusal.ts';
import { APPLY, masked, MERGE, owns, ownersOf, writeScene, type Body, type Subject } from './write-scene.ts';

const harness = await cluster();
const { http } = harness;
const { configMaps, widgets, subjects, namespace, within, make, get, patch, unique } = writeScene(harness);

const applying = (kind: Subject, name = unique()) => ({
  path: kind.path(name),
  apply: async (manager: string, texts: Record<string, unknown>, query = '', metadata = {}) =>
    await patch(
      APPLY,
      kind.path(name, `?fieldManager=${manager}${query}`),
      kind.object(name, kind.group === '' ? texts : { map: texts }, metadata),
    ),
  texts: (body: unknown) => {
    const { data, spec } = body as Body;
    return kind.group === '' ? data : spec?.['map'];
  },
});
/** The conflict of fields, each with its manager. */
const conflict = (...causes: [field: string, manager: string][]) => ({
  status: 409,
  body: {
    reason: 'Conflict',
    details: {
      causes: expect.arrayContaining(
        causes.map(([field, manager]) => ({
          reason: 'FieldManagerConflict',
          field,
          message: expect.stringContaining(`"${manager}"`) as string,
        })),
      ) as unknown,
    },
  },
});

it('an apply creates an object that does not exist and owns the applied fields', async () => {
  const name = unique();
  const { apply, path } = applying(configMaps, name);
  const { status, body } = await apply('me', { a: '1' }, '', { labels: { l: '1' } });
  expect(status).toBe(201);
  const fields = { 'f:data': { 'f:a': {} }, 'f:metadata': { 'f:labels': { 'f:l': {} } } };
  expect(masked(body)).toEqual({
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: {
      name,
      namespace: namespace(),
      uid: '<uid>',
      resourceVersion: '<version>',
      creationTimestamp: '<time>',
      labels: { l: '1' },
      managedFields: [owns('me', fields, { operation: 'Apply' })],
    },
    data: { a: '1' },
  });
  expect(await get(path)).toEqual(body);
});

it('an apply does not own defaults', async () => {
  const { body } = await applying(widgets).apply('me', { a: '1' });
  expect(body).toMatchObject({ spec: { preset: 'p', map: { a: '1' } } });
  expect(ownersOf(body)).toEqual([
    owns('me', { 'f:spec': { 'f:map': { 'f:a': {} } } }, { operation: 'Apply', apiVersion: widgets.apiVersion }),
  ]);
});

describe.each(subjects)('an apply of %s', (_what, kind) => {
  const field = (name: string) => (kind.group === '' ? `.data.${name}` : `.spec.map.${name}`);

  it('without a change does not write', async () => {
    const { apply, path } = applying(kind);
    const { body } = await apply('me', { a: '1' });
    expect(await apply('me', { a: '1' })).toMatchObject({ status: 200, body: body as object });
    expect(await get(path)).toEqual(body);
  });

  it('removes fields that its manager no longer applies', async () => {
    const { apply, texts } = applying(kind);
    await apply('me', { a: '1', b: '2' }, '', { labels: { l: '1' }, finalizers: ['test.io/x'] });
    const { body } = await apply('me', { b: '2' });
    expect(texts(body)).toEqual({ b: '2' });
    for (const key of ['labels', 'finalizers']) expect(body).not.toHaveProperty(`metadata.${key}`);
  });

  it('keeps fields of other managers', async () => {
    const { apply, path, texts } = applying(kind);
    await apply('me', { a: '1' });
    await patch(MERGE, path, { metadata: { labels: { theirs: 'yes' } } });
    await apply('you', { b: '2' });
    const { body } = await apply('me', {});
    expect(texts(body)).toEqual({ b: '2' });
    expect(body).toMatchObject({ metadata: { labels: { theirs: 'yes' } } });
  });

  it('shares a field with a manager that applies the same value', async () => {
    const { apply, texts } = applying(kind);
    await apply('me', { a: '1' });
    await apply('you', { a: '1' });
    expect(texts((await apply('me', {})).body)).toEqual({ a: '1' });
    expect(texts((await apply('you', {})).body) ?? {}).toEqual({});
  });

  it('is refused if other managers own other values', async () => {
    const { apply, path } = applying(kind);
    await apply('me', { a: '1' });
    const change = kind.group === '' ? { data: { b: '1' } } : { spec: { map: { b: '1' } } };
    const { body } = await patch(MERGE, `${path}?fieldManager=editor`, change);
    expect(await apply('you', { a: '2' })).toMatchObject(conflict([field('a'), 'me']));
    expect(await apply('you', { a: '2', b: '2' })).toMatchObject(conflict([field('a'), 'me'], [field('b'), 'editor']));
    expect(await get(path)).toEqual(body);
  });

  it('takes over fields with force', async () => {
    const { apply, texts } = applying(kind);
    await apply('me', { a: '1', b: '1' });
    const { body } = await apply('you', { a: '2' }, '&force=true');
    expect(texts(body)).toEqual({ a: '2', b: '1' });
    // The former manager does not remove the field that it has lost.
    expect(texts((await apply('me', { b: '1' })).body)).toEqual({ a: '2', b: '1' });
  });

  it('with a uid or a stale resourceVersion is refused', async () => {
    const { apply } = applying(kind);
    expect(await apply('me', {}, '', { uid: 'x' })).toMatchObject(CONFLICT);
    expect((await apply('me', {}, '', { resourceVersion: '5' })).status).toBe(201);
    expect(await apply('me', {}, '', { resourceVersion: '5' })).toMatchObject(CONFLICT);
  });

  const object = (more: object = {}, metadata: object = {}) => ({
    ...kind.object('x', undefined, metadata as Record<string, unknown>),
    ...more,
  });
  const MANAGED = '?fieldManager=me';
  it.each<[string, () => unknown, object, string?]>([
    ['no manager', () => object(), INVALID, ''],
    ['managedFields', () => object({}, { managedFields: [] }), BAD_REQUEST],
    ['no kind', () => object({ kind: undefined }), BAD_REQUEST],
    ['another kind', () => object({ kind: 'X' }), BAD_REQUEST],
    ['another apiVersion', () => object({ apiVersion: 'x/v1' }), BAD_REQUEST],
    ['an empty body', () => '', BAD_REQUEST],
    ['a list', () => '[]', BAD_REQUEST],
    ['another name', () => object({}, { name: 'y' }), BAD_REQUEST],
    ['no name', () => object({ metadata: {} }), BAD_REQUEST],
    ['another namespace', () => object({}, { namespace: 'other' }), BAD_REQUEST],
    ['an unknown field', () => object({ other: 1 }), refused(500), `${MANAGED}&fieldValidation=Ignore`],
    ['an unknown field of metadata', () => object({}, { other: 1 }), refused(500)],
    ['labels of a wrong type', () => object({}, { labels: { a: 1 } }), refused(500)],
    ['an invalid label', () => object({}, { labels: { 'a b': 'x' } }), INVALID],
  ])('is refused with %s', async (_name, body, expected, query = MANAGED) => {
    expect(await patch(APPLY, kind.path('x', query), body())).toMatchObject(expected);
    expect(await http('GET', kind.path('x'))).toMatchObject(NOT_FOUND);
  });

  it('is refused in a namespace that does not exist', async () => {
    const path = kind.path('x', MANAGED).replace(/namespaces\/[^/]+/, 'namespaces/not-there');
    expect(await patch(APPLY, path, object())).toMatchObject(NOT_FOUND);
  });

  it('can be YAML, with managedFields that are null', async () => {
    const name = unique();
    const yaml = `# a comment\napiVersion: ${kind.apiVersion}\nkind: ${kind.kind}\nmetadata:\n  name: ${name}\n  managedFields: null\n`;
    expect((await patch(APPLY, kind.path(name, MANAGED), yaml)).status).toBe(201);
  });
});

it('an apply of null is refused for a string of a custom kind and is an empty string in a ConfigMap', async () => {
  const name = unique();
  const query = '?fieldManager=me';
  expect(await patch(APPLY, widgets.path(name, query), widgets.object(name, { text: null }))).toMatchObject(INVALID);
  const { body } = await patch(APPLY, configMaps.path(name, query), configMaps.object(name, { a: null }));
  expect(body).toMatchObject({ data: { a: '' } });
});

it('an apply of a Deployment merges containers, and keeps replicas that another manager has set', async () => {
  const path = (manager: string) => `${within('deployments', 'apps')}/d?fieldManager=${manager}`;
  const apply = async (manager: string, spec: unknown) =>
    await patch(APPLY, path(manager), { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec });
  const [x, y] = [
    { name: 'X', value: '1' },
    { name: 'Y', value: '2' },
  ];
  const container = (more: object) => ({ template: { spec: { containers: [{ name: 'a', ...more }] } } });
  const unscaled = {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, ...container({ image: 'one', env: [x] }).template },
  };
  expect((await apply('me', { ...unscaled, replicas: 2 })).status).toBe(201);
  expect(await apply('you', container({ env: [y] }))).toMatchObject({
    status: 200,
    body: { spec: container({ image: 'one', env: [x, y] }) },
  });
  expect(await apply('you', container({ image: 'two' }))).toMatchObject(
    conflict(['.spec.template.spec.containers[name="a"].image', 'me']),
  );
  expect((await patch(MERGE, path('scaler'), { spec: { replicas: 3 } })).status).toBe(200);
  expect(await apply('me', unscaled)).toMatchObject({ status: 200, body: { spec: { replicas: 3 } } });
});

describe('an object of client-side kubectl apply', () => {
  const LAST = 'kubectl.kubernetes.io/last-applied-configuration';
  const clientSide = async (data: Record<string, string>) => {
    const name = unique();
    const last = `${JSON.stringify(configMaps.object(name, data, { annotations: {} }))}\n`;
    const query = '?fieldManager=kubectl-client-side-apply';
    await make(configMaps.path(undefined, query), configMaps.object(name, data, { annotations: { [LAST]: last } }));
    return { name, ...applying(configMaps, name) };
  };

  it('conflicts with an apply of another manager', async () => {
    const { apply } = await clientSide({ a: '1' });
    expect(await apply('other', { a: '2' })).toMatchObject(conflict(['.data.a', 'kubectl-client-side-apply']));
  });

  it('is not taken over where another manager has changed it', async () => {
    const { path, apply } = await clientSide({ a: '1' });
    await patch(MERGE, `${path}?fieldManager=editor`, { data: { a: '2' } });
    expect(await apply('kubectl', { a: '3' })).toMatchObject(conflict(['.data.a', 'editor']));
  });
});

it('the fields of an object without managedFields belong to before-first-apply', async () => {
  const name = unique();
  const { apply, path } = applying(configMaps, name);
  await make(configMaps.path(), configMaps.object(name, { a: '1' }));
  await patch(MERGE, path, { metadata: { managedFields: [{}] } });
  expect((await patch(MERGE, path, { data: { c: '1' } })).body).not.toHaveProperty('metadata.managedFields');
  expect(await apply('me', { a: '2' })).toMatchObject(conflict(['.data.a', 'before-first-apply']));
  expect(ownersOf((await apply('me', { a: '1', z: '1' })).body)).toEqual([
    owns('before-first-apply', { 'f:data': { '.': {}, 'f:a': {}, 'f:c': {} } }),
    owns('me', { 'f:data': { 'f:a': {}, 'f:z': {} } }, { operation: 'Apply' }),
  ]);
});
