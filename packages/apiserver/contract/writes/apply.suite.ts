import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { BAD_REQUEST, CONFLICT, INVALID, NOT_FOUND, refused } from '../refusal.ts';
import { APPLY, masked, MERGE, owns, ownersOf, writeScene, type Body, type Subject } from './write-scene.ts';

const harness = await cluster();
const { http } = harness;
const { configMaps, widgets, subjects, namespace, within, make, get, patch, unique } = writeScene(harness);

const applyTo = async (kind: Subject, name: string, manager: string, object: object, query = '') =>
  await patch(APPLY, kind.path(name, `?fieldManager=${manager}${query}`), object);
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
  const object = configMaps.object(name, { a: '1' }, { labels: { l: '1' } });
  const { status, body } = await applyTo(configMaps, name, 'me', object);
  expect(status).toBe(201);
  const fields = { 'f:data': { 'f:a': {} }, 'f:metadata': { 'f:labels': { 'f:l': {} } } };
  expect(masked(body)).toEqual({
    ...object,
    metadata: {
      ...object.metadata,
      namespace: namespace(),
      uid: '<uid>',
      resourceVersion: '<version>',
      creationTimestamp: '<time>',
      managedFields: [owns('me', fields, { operation: 'Apply' })],
    },
  });
  expect(await get(configMaps.path(name))).toEqual(body);
});

/** An apply, and the spec after it without its default; or a conflict. */
type Step = [manager: string, spec: Record<string, unknown>, expected: object | 'conflict', query?: '&force=true'];
const items = (...names: string[]) => names.map((name) => ({ name }));
const stored = (...names: string[]) => names.map((name) => ({ name, preset: 'q' }));
const value = (name: string, of: string) => ({ name, value: of });

// The unit tests of apply/ have more cases, and the random requests compare them with kube-apiserver.
it.each<[string, ...Step[]]>([
  [
    'shares a field with a manager that applies the same value',
    ['me', { list: ['a'] }, { list: ['a'] }],
    ['you', { list: ['a'] }, { list: ['a'] }],
    ['me', {}, { list: ['a'] }],
    ['you', {}, {}],
  ],
  [
    'merges list maps by their keys',
    ['me', { entries: items('i', 'j') }, { entries: stored('i', 'j') }],
    ['you', { entries: items('k', 'j') }, { entries: stored('i', 'k', 'j') }],
    ['me', {}, { entries: stored('k', 'j') }],
  ],
  [
    'conflicts in fields of the items of list maps',
    ['me', { entries: [value('i', '1')] }, { entries: [{ ...value('i', '1'), preset: 'q' }] }],
    ['you', { entries: [value('i', '2')] }, 'conflict'],
  ],
  [
    'orders list maps',
    ['me', { entries: items('i', 'j') }, { entries: stored('i', 'j') }],
    ['me', { entries: items('j', 'n', 'i') }, { entries: stored('j', 'n', 'i') }],
  ],
  [
    'replaces atomic lists',
    ['me', { list: ['a', 'b'] }, { list: ['a', 'b'] }],
    ['you', { list: ['c'] }, 'conflict'],
    ['you', { list: ['c'] }, { list: ['c'] }, '&force=true'],
  ],
  [
    'merges maps without a schema, and has atomic lists there',
    ['me', { free: { a: [1], b: { c: 1 } } }, { free: { a: [1], b: { c: 1 } } }],
    ['you', { free: { b: { d: 2 } } }, { free: { a: [1], b: { c: 1, d: 2 } } }],
    ['you', { free: { a: [] } }, 'conflict'],
    ['you', { free: { b: { c: 2 } } }, 'conflict'],
  ],
])('an apply %s', async (_what, ...steps) => {
  const name = unique();
  for (const [manager, spec, expected, query] of steps) {
    const answer = await applyTo(widgets, name, manager, widgets.object(name, spec), query);
    if (expected === 'conflict') expect(answer).toMatchObject(CONFLICT);
    else {
      const { preset: _default, ...rest } = (answer.body as Body).spec ?? {};
      expect(rest).toEqual(expected);
    }
  }
});

it.each([
  { set: ['a', 'a'] },
  { entries: items('a', 'a') },
  { entries: [{ value: 'a' }] },
  { entries: [null] },
  { number: 'x' },
  { pair: 'x' },
  { list: 'x' },
])('an apply that cannot be merged is refused: %j', async (spec) => {
  expect(await applyTo(widgets, 'unmerged', 'me', widgets.object('unmerged', spec))).toMatchObject(refused(500));
});

describe.each(subjects)('an apply of %s', (_what, kind) => {
  it('names the manager of each conflict', async () => {
    const name = unique();
    const texts = kind.group === '' ? 'data' : 'spec';
    await applyTo(kind, name, 'me', kind.object(name, { text: '1' }));
    const change = { [texts]: kind.group === '' ? { b: '1' } : { nullable: '1' } };
    const { body } = await patch(MERGE, kind.path(name, '?fieldManager=editor'), change);
    const other = kind.object(name, kind.group === '' ? { text: '2', b: '2' } : { text: '2', nullable: '2' });
    const field = kind.group === '' ? '.data.b' : '.spec.nullable';
    expect(await applyTo(kind, name, 'you', other)).toMatchObject(
      conflict([`.${texts}.text`, 'me'], [field, 'editor']),
    );
    expect(await get(kind.path(name))).toEqual(body);
  });

  it('with a uid or a stale resourceVersion is refused', async () => {
    const name = unique();
    const apply = async (metadata: Record<string, string>) =>
      await applyTo(kind, name, 'me', kind.object(name, {}, metadata));
    expect(await apply({ uid: 'x' })).toMatchObject(CONFLICT);
    expect((await apply({ resourceVersion: '5' })).status).toBe(201);
    expect(await apply({ resourceVersion: '5' })).toMatchObject(CONFLICT);
  });

  const object = (more: object = {}, metadata: Record<string, unknown> = {}) => ({
    ...kind.object('x', undefined, metadata),
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
  expect(await applyTo(widgets, name, 'me', widgets.object(name, { text: null }))).toMatchObject(INVALID);
  const { body } = await applyTo(configMaps, name, 'me', configMaps.object(name, { a: null }));
  expect(body).toMatchObject({ data: { a: '' } });
});

it('an apply of a Deployment merges containers, and keeps replicas that another manager has set', async () => {
  const path = (manager: string) => `${within('deployments', 'apps')}/d?fieldManager=${manager}`;
  const apply = async (manager: string, spec: unknown) =>
    await patch(APPLY, path(manager), { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec });
  const [x, y] = [value('X', '1'), value('Y', '2')];
  const container = (more: object) => ({ template: { spec: { containers: [{ name: 'a', ...more }] } } });
  const unscaled = {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, ...container({ image: 'one', env: [x] }).template },
  };
  expect((await apply('me', { ...unscaled, replicas: 2 })).status).toBe(201);
  const merged = container({ image: 'one', env: [x, y] });
  expect(await apply('you', container({ env: [y] }))).toMatchObject({ status: 200, body: { spec: merged } });
  const image = '.spec.template.spec.containers[name="a"].image';
  expect(await apply('you', container({ image: 'two' }))).toMatchObject(conflict([image, 'me']));
  expect((await patch(MERGE, path('scaler'), { spec: { replicas: 3 } })).status).toBe(200);
  expect(await apply('me', unscaled)).toMatchObject({ status: 200, body: { spec: { replicas: 3 } } });
});

it('the ports of a Service are merged by port and protocol, which has a default', async () => {
  const apply = async (manager: string, spec: unknown) =>
    await patch(APPLY, `${within('services')}/s?fieldManager=${manager}`, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's' },
      spec,
    });
  const port = (of: number, name: string, protocol?: string) => ({ port: of, name, ...(protocol && { protocol }) });
  const ports = [port(80, 'a'), port(81, 'b', 'UDP')];
  const { body } = await apply('me', { clusterIP: 'None', selector: { a: 'b' }, ports });
  const keys = { 'k:{"port":80,"protocol":"TCP"}': {}, 'k:{"port":81,"protocol":"UDP"}': { 'f:protocol': {} } };
  expect(ownersOf(body)).toMatchObject([{ fieldsV1: { 'f:spec': { 'f:ports': keys, 'f:selector': {} } } }]);
  for (const spec of [{ ports: [port(80, 'z')] }, { selector: { c: 'd' } }])
    expect(await apply('you', spec)).toMatchObject(CONFLICT);
  const merged = { ports: [...ports, port(82, 'c', 'TCP')] };
  expect(await apply('you', { ports: [{ port: 80 }, port(82, 'c')] })).toMatchObject({ body: { spec: merged } });
});

it('the fields of an object without managedFields belong to before-first-apply', async () => {
  const name = unique();
  const path = configMaps.path(name);
  const apply = async (data: object) => await applyTo(configMaps, name, 'me', { ...configMaps.object(name), data });
  await make(configMaps.path(), configMaps.object(name, { a: '1' }));
  await patch(MERGE, path, { metadata: { managedFields: [{}] } });
  expect((await patch(MERGE, path, { data: { c: '1' } })).body).not.toHaveProperty('metadata.managedFields');
  expect(await apply({ a: '2' })).toMatchObject(conflict(['.data.a', 'before-first-apply']));
  expect(ownersOf((await apply({ a: '1', z: '1' })).body)).toEqual([
    owns('before-first-apply', { 'f:data': { '.': {}, 'f:a': {}, 'f:c': {} } }),
    owns('me', { 'f:data': { 'f:a': {}, 'f:z': {} } }, { operation: 'Apply' }),
  ]);
});
