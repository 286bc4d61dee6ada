import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cluster, eventually } from '../../../../test/harness/index.ts';
import { webhookScene } from '../../../../test/harness/scenes/webhook-scene.ts';
import { patched, type Handler, type ReviewRequest } from '../../../../test/harness/scenes/webhook-server.ts';

const { http, namespace } = await cluster();
const scene = webhookScene({ http });
const { install, one, unique, webhook } = scene;

const configMaps = (where: string) => `/api/v1/namespaces/${where}/configmaps`;
const create = async (
  where: string,
  name: string,
  labels: Record<string, string> = {},
  data?: Record<string, string>,
) => await http('POST', configMaps(where), { body: { metadata: { name, labels }, data } });
const namesOf = (reviews: ReviewRequest[]) => reviews.map(({ name }) => name);
const rule = (more: Record<string, unknown>) => ({
  rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], ...more }],
});

describe('the rules of a webhook', () => {
  it.each<[string, Record<string, unknown>, boolean]>([
    ['all of everything', {}, true],
    ['this kind', { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }, true],
    ['this operation', { operations: ['DELETE', 'CREATE'] }, true],
    ['another operation', { operations: ['UPDATE', 'DELETE', 'CONNECT'] }, false],
    ['another group', { apiGroups: ['apps', 'batch'] }, false],
    ['another resource', { resources: ['secrets'] }, false],
    ['subresources alone', { resources: ['*/status', 'configmaps/scale'] }, false],
    ['the resource with all its subresources', { resources: ['configmaps/*'] }, true],
    ['everything with all its subresources', { resources: ['*/*'] }, true],
    ['what is in namespaces', { scope: 'Namespaced' }, true],
    ['what is in none', { scope: 'Cluster' }, false],
  ])('for %s', async (_what, more, isAsked) => {
    const where = await namespace();
    const path = await one('validating', where, undefined, rule(more));
    await create(where, 'a');
    expect(namesOf(scene.webhooks.reviews(path))).toEqual(isAsked ? ['a'] : []);
  });

  it('that are none ask about nothing', async () => {
    const where = await namespace();
    const path = await one('validating', where, undefined, { rules: [] });
    await create(where, 'a');
    expect(scene.webhooks.reviews(path)).toEqual([]);
  });

  it('about the configurations of webhooks are not followed', async () => {
    const where = await namespace();
    const path = await one('validating', where, () => ({ allowed: false }), {
      ...rule({ apiGroups: ['admissionregistration.k8s.io'] }),
      namespaceSelector: {},
      objectSelector: {},
    });
    const name = unique('hooks');
    const collection = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
    expect((await http('POST', collection, { body: { metadata: { name } } })).status).toBe(201);
    expect((await http('DELETE', `${collection}/${name}`)).status).toBe(200);
    expect(scene.webhooks.reviews(path)).toEqual([]);
  });
});

describe('the selectors of a webhook', () => {
  it.each<[string, Record<string, unknown>, string[]]>([
    ['a label', { matchLabels: { colour: 'red' } }, ['red']],
    [
      'one of several values',
      { matchExpressions: [{ key: 'colour', operator: 'In', values: ['red', 'blue'] }] },
      ['red', 'blue'],
    ],
    [
      'none of some values',
      { matchExpressions: [{ key: 'colour', operator: 'NotIn', values: ['red'] }] },
      ['blue', 'none'],
    ],
    ['the presence of a label', { matchExpressions: [{ key: 'colour', operator: 'Exists' }] }, ['red', 'blue']],
    ['its absence', { matchExpressions: [{ key: 'colour', operator: 'DoesNotExist' }] }, ['none']],
    [
      'all of it together',
      { matchLabels: { colour: 'blue' }, matchExpressions: [{ key: 'colour', operator: 'NotIn', values: ['red'] }] },
      ['blue'],
    ],
  ])('choose objects by %s', async (_what, objectSelector, expected) => {
    const where = await namespace();
    const path = await one('validating', where, undefined, { objectSelector });
    await create(where, 'red', { colour: 'red' });
    await create(where, 'blue', { colour: 'blue' });
    await create(where, 'none');
    expect(namesOf(scene.webhooks.reviews(path)).filter((name) => !name?.startsWith('probe'))).toEqual(expected);
  });

  it('look at the object as it was, too', async () => {
    const where = await namespace();
    const path = await one('validating', where, undefined, { objectSelector: { matchLabels: { colour: 'red' } } });
    await create(where, 'a', { colour: 'red' });
    const change = async (labels: unknown) =>
      await http('PATCH', `${configMaps(where)}/a`, {
        body: { metadata: { labels } },
        contentType: 'application/merge-patch+json',
      });
    await change({ colour: null });
    // A patch begins with the object as the server's cache has it, and asks again where that was behind.
    await eventually(async () => {
      const { body } = await http('GET', `${configMaps(where)}/a?resourceVersion=0`);
      expect(body).not.toMatchObject({ metadata: { labels: { colour: 'red' } } });
    });
    await change({ shape: 'round' });
    expect(scene.webhooks.reviews(path).map(({ operation }) => operation)).toEqual(['CREATE', 'UPDATE']);
  });

  it('look at the object as earlier webhooks have made it', async () => {
    const where = await namespace();
    const painter = scene.webhooks.answer(() =>
      patched({ op: 'add', path: '/metadata/labels', value: { colour: 'red' } }),
    );
    const [mutating, validating] = [scene.webhooks.answer(), scene.webhooks.answer()];
    const red = { objectSelector: { matchLabels: { colour: 'red' } } };
    await install('mutating', where, [webhook(where, painter), webhook(where, mutating, red)]);
    await install('validating', where, [webhook(where, validating, red)]);
    await create(where, 'a');
    expect(namesOf(scene.webhooks.reviews(mutating))).toEqual(['a']);
    expect(namesOf(scene.webhooks.reviews(validating))).toEqual(['a']);
  });

  it('choose namespaces by their labels', async () => {
    const [inside, outside] = [await namespace(), await namespace()];
    const path = await one('validating', inside);
    await create(outside, 'out');
    await create(inside, 'in');
    expect(namesOf(scene.webhooks.reviews(path))).toEqual(['in']);
  });

  it('of namespaces let through what is in none', async () => {
    const where = await namespace();
    const name = unique('role');
    const path = await one('validating', where, undefined, {
      ...rule({ apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'] }),
      objectSelector: { matchLabels: { mark: name } },
    });
    const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
    await http('POST', roles, { body: { metadata: { name, labels: { mark: name } }, rules: [] } });
    await http('DELETE', `${roles}/${name}`);
    expect(scene.webhooks.reviews(path).map(({ operation }) => operation)).toEqual(['CREATE', 'DELETE']);
    expect(scene.webhooks.reviews(path)[0]).not.toHaveProperty('namespace');
  });
});

describe('the match conditions of a webhook', () => {
  const conditions = (...expressions: string[]) => ({
    matchConditions: expressions.map((expression, index) => ({ name: `condition-${index}`, expression })),
  });

  it.each<[string, boolean]>([
    ["object.metadata.name == 'a'", true],
    ["object.metadata.name != 'a'", false],
    ['oldObject == null', true],
    ["request.operation == 'CREATE' && request.kind.kind == 'ConfigMap'", true],
    ["request.resource.resource == 'configmaps' && !has(request.subResource)", true],
    ["request.namespace.startsWith('test-')", true],
    ["'system:nobody' in request.userInfo.groups", false],
    ["has(object.data) && object.data.k == 'v'", true],
    ["object.metadata.?labels.colour.orValue('none') == 'none'", true],
    ['size(object.data) > 1 || object.data.exists(key, key == "k")', true],
    ["object.data['k'].matches('^[a-z]$')", true],
  ])('%s', async (expression, isAsked) => {
    const where = await namespace();
    const path = await one('validating', where, undefined, conditions(expression));
    await create(where, 'a', {}, { k: 'v' });
    expect(namesOf(scene.webhooks.reviews(path))).toEqual(isAsked ? ['a'] : []);
  });

  it('must all be met', async () => {
    const where = await namespace();
    const path = await one('validating', where, undefined, conditions('true', "object.metadata.name == 'b'"));
    await create(where, 'a');
    await create(where, 'b');
    expect(namesOf(scene.webhooks.reviews(path))).toEqual(['b']);
  });

  it('see what is to be deleted as the old object', async () => {
    const where = await namespace();
    const path = await one(
      'validating',
      where,
      undefined,
      conditions("object == null && oldObject.metadata.name == 'a'"),
    );
    await create(where, 'a');
    await http('DELETE', `${configMaps(where)}/a`);
    expect(scene.webhooks.reviews(path).map(({ operation }) => operation)).toEqual(['DELETE']);
  });

  it('that cannot be evaluated forbid the request, or pass the webhook over, as its policy says', async () => {
    const where = await namespace();
    await one('validating', where, undefined, conditions("object.nosuch == 'a'"));
    expect(await create(where, 'a')).toMatchObject({
      status: 403,
      body: {
        reason: 'Forbidden',
        message: expect.stringMatching(
          /^configmaps "a" is forbidden: expression 'object.nosuch == 'a'' resulted in error: no such key: nosuch$/i,
        ) as string,
        details: { name: 'a', kind: 'configmaps' },
      },
    });
    const other = await namespace();
    const path = await one('validating', other, () => ({ allowed: false }), {
      ...conditions("object.nosuch == 'a'"),
      failurePolicy: 'Ignore',
    });
    expect((await create(other, 'a')).status).toBe(201);
    expect(scene.webhooks.reviews(path)).toEqual([]);
  });

  it('that cannot be evaluated do not matter where another is not met', async () => {
    const where = await namespace();
    await one('validating', where, () => ({ allowed: false }), conditions("object.nosuch == 'a'", 'false'));
    expect((await create(where, 'a')).status).toBe(201);
  });
});

describe('several webhooks', () => {
  const append =
    (letter: string): Handler =>
    ({ object }) => {
      const data = object?.['data'] as Record<string, string> | undefined;
      return data === undefined
        ? patched({ op: 'add', path: '/data', value: { word: letter } })
        : patched({ op: 'add', path: '/data/word', value: (data['word'] ?? '') + letter });
    };
  const wordOf = (body: unknown) => (body as { data: { word: string } }).data.word;

  it('change the object by the name of their configurations, then in order', async () => {
    const where = await namespace();
    const suffix = unique('x');
    const hook = (letter: string) => webhook(where, scene.webhooks.answer(append(letter)));
    await install('mutating', where, [hook('c')], `b-${suffix}`);
    await install('mutating', where, [hook('a'), hook('b')], `a-${suffix}`);
    await install('mutating', where, [hook('d')], `c-${suffix}`);
    expect(wordOf((await create(where, 'a')).body)).toBe('abcd');
  });

  it('that want to are asked once more about what others have changed since', async () => {
    const where = await namespace();
    const again = { reinvocationPolicy: 'IfNeeded' };
    const [first, second, third] = ['a', 'b', 'c'].map((letter) => scene.webhooks.answer(append(letter)));
    await install('mutating', where, [
      webhook(where, first ?? '', again),
      webhook(where, second ?? ''),
      webhook(where, third ?? '', again),
    ]);
    expect(wordOf((await create(where, 'a')).body)).toBe('abcac');
    expect([first, second, third].map((path) => scene.webhooks.reviews(path ?? '').length)).toEqual([2, 1, 2]);
  });

  it('are not asked again where nothing has changed since', async () => {
    const where = await namespace();
    const again = { reinvocationPolicy: 'IfNeeded' };
    const [first, second] = [scene.webhooks.answer(append('a')), scene.webhooks.answer()];
    await install('mutating', where, [webhook(where, first, again), webhook(where, second, again)]);
    await create(where, 'a');
    expect([first, second].map((path) => scene.webhooks.reviews(path).length)).toEqual([1, 1]);
  });

  it('that validate are all asked, even if one refuses', async () => {
    const where = await namespace();
    const paths = [false, true, true].map((allowed) => scene.webhooks.answer(() => ({ allowed })));
    await install(
      'validating',
      where,
      paths.map((path) => webhook(where, path)),
    );
    expect((await create(where, 'a')).status).toBe(400);
    expect(paths.map((path) => scene.webhooks.reviews(path).length)).toEqual([1, 1, 1]);
  });

  it('that validate are not asked about what one that mutates has refused', async () => {
    const where = await namespace();
    await one('mutating', where, () => ({ allowed: false }));
    const path = await one('validating', where);
    await create(where, 'a');
    expect(scene.webhooks.reviews(path)).toEqual([]);
  });

  it('are asked no more once their configuration is gone', async () => {
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

describe('a kind with several versions', () => {
  const group = `${unique('g')}.test.io`;
  const version = (name: string, storage: boolean) => ({
    name,
    storage,
    served: true,
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec: { type: 'object', properties: { size: { type: 'integer', default: 1 }, word: { type: 'string' } } },
        },
      },
    },
  });
  const things = (where: string, of: string) => `/apis/${group}/${of}/namespaces/${where}/things`;
  const thing = (name: string, of: string) => ({
    apiVersion: `${group}/${of}`,
    kind: 'Thing',
    metadata: { name },
    spec: {},
  });
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

  beforeAll(async () => {
    await http('POST', definitions, {
      body: {
        metadata: { name: `things.${group}` },
        spec: {
          group,
          scope: 'Namespaced',
          names: { plural: 'things', kind: 'Thing' },
          versions: [version('v1', true), version('v2', false)],
        },
      },
    });
    await eventually(async () => {
      expect((await http('GET', `/apis/${group}/v2/things`)).status).toBe(200);
    });
  });
  afterAll(async () => {
    await http('DELETE', `${definitions}/things.${group}`);
  });

  const rules = rule({ apiGroups: [group], apiVersions: ['v1'], resources: ['things'] });

  it('is asked about in the version of the rule, whichever was sent', async () => {
    const where = await namespace();
    const path = await one('mutating', where, () => patched({ op: 'add', path: '/spec/word', value: 'yes' }), rules);
    const answer = await eventually(async () => {
      const created = await http('POST', things(where, 'v2'), { body: thing(unique('t'), 'v2') });
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

  it('is not where the policy is to be exact', async () => {
    const where = await namespace();
    const path = await one('validating', where, undefined, { ...rules, matchPolicy: 'Exact' });
    for (const of of ['v1', 'v2']) await http('POST', things(where, of), { body: thing(`of-${of}`, of) });
    expect(namesOf(scene.webhooks.reviews(path))).toEqual(['of-v1']);
  });

  it('has what a webhook adds pruned and defaulted as if it had been sent', async () => {
    const where = await namespace();
    await one(
      'mutating',
      where,
      () => patched({ op: 'add', path: '/spec/nosuch', value: 1 }, { op: 'remove', path: '/spec/size' }),
      rules,
    );
    const { body } = await http('POST', things(where, 'v1'), { body: thing('t', 'v1') });
    expect((body as { spec: unknown }).spec).toEqual({ size: 1 });
  });

  it('has what a webhook adds validated', async () => {
    const where = await namespace();
    await one('mutating', where, () => patched({ op: 'replace', path: '/spec/size', value: 'big' }), rules);
    const answer = await http('POST', things(where, 'v1'), { body: thing('t', 'v1') });
    expect(answer).toMatchObject({
      status: 422,
      body: {
        message: `Thing.${group} "t" is invalid: spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"`,
      },
    });
  });
});
