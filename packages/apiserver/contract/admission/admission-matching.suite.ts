import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cluster, eventually } from '../../../../test/harness/index.ts';
import { webhookScene } from '../../../../test/harness/scenes/webhook-scene.ts';
import { patched, type Handler } from '../../../../test/harness/scenes/webhook-server.ts';
import { INVALID, refused } from '../refusal.ts';

const { http, namespace } = await cluster();
const scene = webhookScene({ http });
const { install, one, unique, webhook } = scene;

type Fields = Record<string, unknown>;
const MERGE = 'application/merge-patch+json';
const configMaps = (where: string) => `/api/v1/namespaces/${where}/configmaps`;
const create = async (where: string, name: string, labels: object = {}) =>
  await http('POST', configMaps(where), { body: { metadata: { name, labels }, data: { k: 'v' } } });
const calledFor = (path: string) => scene.webhooks.reviews(path).map(({ name }) => name);
const operations = (path: string) => scene.webhooks.reviews(path).map(({ operation }) => operation);
const rule = (more: Fields) => ({
  rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], ...more }],
});
const conditions = (...expressions: string[]) => ({
  matchConditions: expressions.map((expression, index) => ({ name: `condition-${index}`, expression })),
});

it.each<[string, Fields, boolean]>([
  ['rules for everything', rule({}), true],
  ['rules for the kind', rule({ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }), true],
  ['rules for the operation', rule({ operations: ['DELETE', 'CREATE'] }), true],
  ['rules for other operations', rule({ operations: ['UPDATE', 'DELETE', 'CONNECT'] }), false],
  ['rules for other groups', rule({ apiGroups: ['apps', 'batch'] }), false],
  ['rules for another resource', rule({ resources: ['secrets'] }), false],
  ['rules for subresources', rule({ resources: ['*/status', 'configmaps/scale'] }), false],
  ['rules for the resource and its subresources', rule({ resources: ['configmaps/*'] }), true],
  ['rules for all resources and subresources', rule({ resources: ['*/*'] }), true],
  ['rules for namespaced objects', rule({ scope: 'Namespaced' }), true],
  ['rules for cluster-scoped objects', rule({ scope: 'Cluster' }), false],
  ['no rules', { rules: [] }, false],
  ['an object selector', { objectSelector: { matchLabels: { colour: 'red' } } }, true],
  ['an object selector for other labels', { objectSelector: { matchLabels: { colour: 'blue' } } }, false],
  ['In', { objectSelector: { matchExpressions: [{ key: 'colour', operator: 'In', values: ['red', 'x'] }] } }, true],
  ['NotIn', { objectSelector: { matchExpressions: [{ key: 'colour', operator: 'NotIn', values: ['red'] }] } }, false],
  ['Exists', { objectSelector: { matchExpressions: [{ key: 'colour', operator: 'Exists' }] } }, true],
  ['DoesNotExist', { objectSelector: { matchExpressions: [{ key: 'colour', operator: 'DoesNotExist' }] } }, false],
  [
    'the namespace default',
    { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } } },
    false,
  ],
  ...(
    [
      ["object.metadata.name == 'a' && oldObject == null", true],
      ["object.metadata.name != 'a'", false],
      ["request.operation == 'CREATE' && request.kind.kind == 'ConfigMap'", true],
      ["request.resource.resource == 'configmaps' && !has(request.subResource)", true],
      ["request.namespace.startsWith('test-')", true],
      ["'system:nobody' in request.userInfo.groups", false],
      ["object.metadata.?labels.shape.orValue('none') == 'none'", true],
      ['size(object.data) > 1 || object.data.exists(key, key == "k")', true],
      ["object.data['k'].matches('^[a-z]$')", true],
    ] as const
  ).map(([expression, called]): [string, Fields, boolean] => [expression, conditions(expression), called]),
  ['two conditions, one of them false', conditions('true', "object.metadata.name == 'b'"), false],
  ['a condition with an error beside a false one', conditions("object.nosuch == 'a'", 'false'), false],
])('a webhook with %s is called or not', async (_what, fields, called) => {
  const where = await namespace();
  const path = await one('validating', where, undefined, fields);
  expect((await create(where, 'a', { colour: 'red' })).status).toBe(201);
  expect(calledFor(path).filter((name) => !name?.startsWith('probe'))).toEqual(called ? ['a'] : []);
});

describe('a webhook', () => {
  it('is not called for webhook configurations', async () => {
    const selectors = { namespaceSelector: {}, objectSelector: {} };
    const fields = { ...rule({ apiGroups: ['admissionregistration.k8s.io'] }), ...selectors };
    const path = await one('validating', await namespace(), () => ({ allowed: false }), fields);
    const collection = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
    const name = unique('hooks');
    expect((await http('POST', collection, { body: { metadata: { name } } })).status).toBe(201);
    expect((await http('DELETE', `${collection}/${name}`)).status).toBe(200);
    expect(calledFor(path)).toEqual([]);
  });

  it('is called if the old or the new object matches its object selector', async () => {
    const where = await namespace();
    const path = await one('validating', where, undefined, { objectSelector: { matchLabels: { colour: 'red' } } });
    await create(where, 'a', { colour: 'red' });
    const change = async (labels: unknown) =>
      await http('PATCH', `${configMaps(where)}/a`, { body: { metadata: { labels } }, contentType: MERGE });
    await change({ colour: null });
    // kube-apiserver patches the cached object first, and calls webhooks again if the cache was stale.
    await eventually(async () => {
      const { body } = await http('GET', `${configMaps(where)}/a?resourceVersion=0`);
      expect(body).not.toMatchObject({ metadata: { labels: { colour: 'red' } } });
    });
    await change({ shape: 'round' });
    expect(operations(path)).toEqual(['CREATE', 'UPDATE']);
  });

  it('is called if a patch of an earlier webhook matches its object selector', async () => {
    const where = await namespace();
    const patch = patched({ op: 'add', path: '/metadata/labels', value: { colour: 'red' } });
    const first = scene.webhooks.answer(() => patch);
    const [mutating, validating] = [scene.webhooks.answer(), scene.webhooks.answer()];
    const red = { objectSelector: { matchLabels: { colour: 'red' } } };
    await install('mutating', where, [webhook(where, first), webhook(where, mutating, red)]);
    await install('validating', where, [webhook(where, validating, red)]);
    await create(where, 'a');
    for (const path of [mutating, validating]) expect(calledFor(path)).toEqual(['a']);
  });

  it('is called for cluster-scoped objects with any namespace selector', async () => {
    const name = unique('role');
    const path = await one('validating', await namespace(), undefined, {
      ...rule({ apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'] }),
      objectSelector: { matchLabels: { mark: name } },
    });
    const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
    await http('POST', roles, { body: { metadata: { name, labels: { mark: name } }, rules: [] } });
    await http('DELETE', `${roles}/${name}`);
    expect(operations(path)).toEqual(['CREATE', 'DELETE']);
    expect(scene.webhooks.reviews(path)[0]).not.toHaveProperty('namespace');
  });

  it('with a condition for deletions sees the old object', async () => {
    const where = await namespace();
    const condition = conditions("object == null && oldObject.metadata.name == 'a'");
    const path = await one('validating', where, undefined, condition);
    await create(where, 'a');
    await http('DELETE', `${configMaps(where)}/a`);
    expect(operations(path)).toEqual(['DELETE']);
  });

  it.each([
    ['Fail', refused(403, 'Forbidden')],
    ['Ignore', { status: 201 }],
  ])('with a condition that has an error obeys failurePolicy %s and is not called', async (failurePolicy, expected) => {
    const where = await namespace();
    const fields = { ...conditions("object.nosuch == 'a'"), failurePolicy };
    const path = await one('validating', where, () => ({ allowed: false }), fields);
    expect(await create(where, 'a')).toMatchObject(expected);
    expect(calledFor(path)).toEqual([]);
  });

  it('is not called after the deletion of its configuration', async () => {
    const where = await namespace();
    const path = scene.webhooks.answer(() => ({ allowed: false }));
    const name = await install('validating', where, [webhook(where, path)]);
    expect((await create(where, 'a')).status).toBe(400);
    await http('DELETE', `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/${name}`);
    await eventually(async () => {
      expect((await create(where, unique('b'))).status).toBe(201);
    });
  });
});

describe('several webhooks', () => {
  const append =
    (letter: string): Handler =>
    ({ object }) => {
      const { data } = object as { data: { k: string } };
      return patched({ op: 'replace', path: '/data/k', value: data.k + letter });
    };
  const calls = (paths: string[]) => paths.map((path) => scene.webhooks.reviews(path).length);

  it('mutate in the order of the names of their configurations', async () => {
    const where = await namespace();
    const suffix = unique('x');
    const hook = (letter: string) => webhook(where, scene.webhooks.answer(append(letter)));
    await install('mutating', where, [hook('c')], `b-${suffix}`);
    await install('mutating', where, [hook('a'), hook('b')], `a-${suffix}`);
    await install('mutating', where, [hook('d')], `c-${suffix}`);
    expect((await create(where, 'a')).body).toMatchObject({ data: { k: 'vabcd' } });
  });

  it('are called again after a later change if reinvocationPolicy is IfNeeded', async () => {
    const where = await namespace();
    const again = { reinvocationPolicy: 'IfNeeded' };
    const paths = ['a', 'b', 'c'].map((letter) => scene.webhooks.answer(append(letter)));
    const hooks = paths.map((path, index) => webhook(where, path, index === 1 ? {} : again));
    await install('mutating', where, [...hooks, webhook(where, scene.webhooks.answer(), again)]);
    expect((await create(where, 'a')).body).toMatchObject({ data: { k: 'vabcac' } });
    expect(calls(paths)).toEqual([2, 1, 2]);
  });

  it('are not called again without a later change', async () => {
    const where = await namespace();
    const again = { reinvocationPolicy: 'IfNeeded' };
    const paths = [scene.webhooks.answer(append('a')), scene.webhooks.answer()];
    const hooks = paths.map((path) => webhook(where, path, again));
    await install('mutating', where, hooks);
    await create(where, 'a');
    expect(calls(paths)).toEqual([1, 1]);
  });

  it('are all called if they validate, but not after a mutating webhook has refused', async () => {
    const where = await namespace();
    const paths = [false, true, true].map((allowed) => scene.webhooks.answer(() => ({ allowed })));
    const hooks = paths.map((path) => webhook(where, path));
    await install('validating', where, hooks);
    expect((await create(where, 'a')).status).toBe(400);
    expect(calls(paths)).toEqual([1, 1, 1]);
    await one('mutating', where, () => ({ allowed: false }));
    expect((await create(where, 'b')).status).toBe(400);
    for (const path of paths) expect(calledFor(path)).not.toContain('b');
  });
});

describe('a webhook for a kind with two versions', () => {
  const group = `${unique('g')}.test.io`;
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const things = (where: string, version: string) => `/apis/${group}/${version}/namespaces/${where}/things`;
  const createThing = async (where: string, version: string) =>
    await http('POST', things(where, version), {
      body: { apiVersion: `${group}/${version}`, kind: 'Thing', metadata: { name: `of-${version}` }, spec: {} },
    });
  const rules = rule({ apiGroups: [group], apiVersions: ['v1'], resources: ['things'] });

  beforeAll(async () => {
    const spec = { type: 'object', properties: { size: { type: 'integer', default: 1 }, word: { type: 'string' } } };
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
    const versions = ['v1', 'v2'].map((name) => ({ name, storage: name === 'v1', served: true, schema }));
    const names = { plural: 'things', kind: 'Thing' };
    const body = { metadata: { name: `things.${group}` }, spec: { group, scope: 'Namespaced', names, versions } };
    await http('POST', definitions, { body });
    await eventually(async () => {
      expect((await http('GET', `/apis/${group}/v2/things`)).status).toBe(200);
    });
  });
  afterAll(async () => {
    await http('DELETE', `${definitions}/things.${group}`);
  });

  it('gets objects in the version of its rule', async () => {
    const where = await namespace();
    const patch = patched({ op: 'add', path: '/spec/word', value: 'yes' });
    const path = await one('mutating', where, () => patch, rules);
    const answer = await eventually(async () => {
      const created = await createThing(where, 'v2');
      expect(created.status).toBe(201);
      return created;
    });
    expect(answer.body).toMatchObject({ apiVersion: `${group}/v2`, spec: { size: 1, word: 'yes' } });
    expect(scene.webhooks.reviews(path)).toMatchObject([
      {
        kind: { group, version: 'v1', kind: 'Thing' },
        resource: { group, version: 'v1', resource: 'things' },
        requestKind: { group, version: 'v2', kind: 'Thing' },
        requestResource: { group, version: 'v2', resource: 'things' },
        object: { apiVersion: `${group}/v1`, kind: 'Thing', spec: { size: 1 } },
      },
    ]);
  });

  it('is not called for the other version if matchPolicy is Exact', async () => {
    const where = await namespace();
    const path = await one('validating', where, undefined, { ...rules, matchPolicy: 'Exact' });
    for (const version of ['v1', 'v2']) await createThing(where, version);
    expect(calledFor(path)).toEqual(['of-v1']);
  });

  it('has its patch pruned, defaulted and validated', async () => {
    const where = await namespace();
    const unknown = { op: 'add', path: '/spec/nosuch', value: 1 };
    const answers = [
      patched(unknown, { op: 'remove', path: '/spec/size' }),
      patched({ op: 'replace', path: '/spec/size', value: 'big' }),
    ];
    await one('mutating', where, () => answers.shift() ?? { allowed: true }, rules);
    expect(((await createThing(where, 'v1')).body as { spec: unknown }).spec).toEqual({ size: 1 });
    expect(await createThing(where, 'v2')).toMatchObject(INVALID);
  });
});
