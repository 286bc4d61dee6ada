import { describe, expect, it } from 'vitest';
import { cluster, eventually, type HttpAnswer } from '../../../../test/harness/index.ts';
import {
  DEFINITIONS,
  definitionScene,
  object,
  spec,
  type Definition,
} from '../../../../test/harness/scenes/definition-scene.ts';
import { BAD_REQUEST, INVALID, refused } from '../refusal.ts';

const { http, watch } = await cluster();
const { definition, define, change, read, refusals } = definitionScene(http);

const MERGE = 'application/merge-patch+json';
const STRING = { type: 'string' };
const OBJECT = { type: 'object' };
const schema = { openAPIV3Schema: OBJECT };
const version = (more: object) => ({ name: 'v1', served: true, storage: true, schema, ...more });
const pathOf = ({ metadata: { name } }: Definition) => `${DEFINITIONS}/${name}`;
const remove = async (made: Definition) => {
  expect((await http('DELETE', pathOf(made))).status).toBe(200);
};
const gone = async (path: string) => {
  await eventually(
    async () => {
      expect((await http('GET', path)).status).toBe(404);
    },
    { timeout: 20_000 },
  );
};

interface Status {
  conditions: { type: string; status: string; reason: string }[];
  acceptedNames: object;
  storedVersions: string[];
}
const statusOf = ({ body }: HttpAnswer): Status => (body as { status: Status }).status;
const ESTABLISHED = { NamesAccepted: 'True NoConflicts', Established: 'True InitialNamesAccepted' };
const until = async (made: Definition, conditions: object): Promise<HttpAnswer> =>
  await eventually(async () => {
    const answer = await read(made);
    const found = statusOf(answer).conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]);
    expect(Object.fromEntries(found)).toMatchObject(conditions);
    return answer;
  });

describe('a new definition', () => {
  it('gets default names, and a status when the names are accepted', async () => {
    const body = definition(OBJECT, { spec: { preserveUnknownFields: false } });
    const { plural, kind } = body.spec.names;
    const names = { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` };
    expect(
      await http('POST', DEFINITIONS, { body: { ...body, spec: { ...body.spec, names: { plural, kind } } } }),
    ).toMatchObject({
      status: 201,
      body: {
        metadata: { generation: 1 },
        spec: { names, scope: 'Cluster', versions: [version({})], conversion: { strategy: 'None' } },
        status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] },
      },
    });
    const answer = await until(body, ESTABLISHED);
    expect(statusOf(answer)).toMatchObject({ acceptedNames: names, storedVersions: ['v1'] });
    expect(answer.body).toMatchObject({ metadata: { generation: 1 } });
    await remove(body);
  });

  const withSchema = (openAPIV3Schema: object) => ({ versions: [version({ schema: { openAPIV3Schema } })] });
  const withField = (a: object) => withSchema(spec({ a }));
  const withPattern = (pattern: string) => withField({ ...STRING, pattern });
  const withRule = (rule: string, more: object = {}) =>
    withField({ type: 'integer', 'x-kubernetes-validations': [{ rule, ...more }] });

  it.each<[string, Record<string, unknown>]>([
    ['no group', { group: '' }],
    ['no scope', { scope: undefined }],
    ['an unknown scope', { scope: 'Galaxy' }],
    ['no kind', { names: { plural: 'as' } }],
    ['an unknown conversion strategy', { conversion: { strategy: 'Foo' } }],
    ['no versions', { versions: [] }],
    ['no storage version', { versions: [version({ storage: false })] }],
    ['two storage versions', { versions: [version({}), version({ name: 'v2' })] }],
    ['two versions of one name', { versions: [version({}), version({ storage: false })] }],
    ['an invalid version name', { versions: [version({ name: 'V1' })] }],
    ['no schema', { versions: [version({ schema: undefined })] }],
    ['a root that is not an object', withSchema({ type: 'array', items: STRING })],
    ['a root without a type', withSchema({ properties: { spec: STRING } })],
    ['an unknown type', withField({ type: 'text' })],
    ['a reference', withField({ ...STRING, $ref: '#/definitions/a' })],
    ['a list of schemas for items', withField({ type: 'array', items: [STRING] })],
    ...['(?=a)b', '\\1', '\\p{Foo}', '[[:foo:]]', '(', 'a**', '[z-a]', 'a{2,1}'].map(
      (pattern): [string, Record<string, unknown>] => [`the pattern ${pattern}`, withPattern(pattern)],
    ),
    ['a rule with a syntax error', withRule('self ==')],
    ['a rule with an unknown function', withRule('unknown(self)')],
    ['a rule that is not boolean', withRule('self + 1')],
    ['an empty rule', withRule(' ')],
    ['a messageExpression that is not a string', withRule('self > 1', { messageExpression: '1' })],
  ])('is refused with %s', async (_what, more) => {
    const made = definition(OBJECT, { spec: more });
    const { group, names } = made.spec;
    const body = { ...made, metadata: { name: `${names.plural}.${group}` } };
    expect(await http('POST', `${DEFINITIONS}?dryRun=All`, { body })).toMatchObject(INVALID);
  });

  it('is refused with a name that is not plural.group', async () => {
    const body = { ...definition(OBJECT), metadata: { name: 'others.test.io' } };
    expect(await http('POST', `${DEFINITIONS}?dryRun=All`, { body })).toMatchObject(INVALID);
  });

  it.each<[string, Record<string, unknown>]>([
    ['no served version', { versions: [version({ served: false })] }],
    ...['(?i)abc', '(?P<a>b)', '[[:alpha:]]', '\\z', '\\Qa.b\\E', 'a{,2}', '\\x{41}', '(?U)a+', '\\pL'].map(
      (pattern): [string, Record<string, unknown>] => [`the pattern ${pattern}`, withPattern(pattern)],
    ),
    ['rules for names', withSchema(object({ metadata: object({ name: { ...STRING, maxLength: 3 } }) }))],
    ['anyOf in int-or-string', withField({ 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, STRING] })],
  ])('is accepted with %s', async (_what, more) => {
    expect(await refusals(definition(OBJECT, { spec: more }))).toEqual([]);
  });

  it('loses unknown keywords of its schema with a warning', async () => {
    const body = definition(spec({ a: STRING }, { above: 1 }));
    expect(await http('POST', `${DEFINITIONS}?dryRun=All&fieldValidation=Strict`, { body })).toMatchObject(BAD_REQUEST);
    const made = await http('POST', `${DEFINITIONS}?dryRun=All`, { body });
    expect(made).toMatchObject({ status: 201, headers: { warning: expect.stringContaining('above') as string } });
    expect(made.body).toHaveProperty('spec.versions.0.schema.openAPIV3Schema', spec({ a: STRING }));
  });
});

describe('names that another definition of the group has', () => {
  type Names = Definition['spec']['names'];
  const rival = ({ spec: { group } }: Definition, names: object = {}): Definition => {
    const { spec: own } = definition(OBJECT);
    const all = { ...own, group, names: { ...own.names, ...names } };
    return { metadata: { name: `${own.names.plural}.${group}` }, spec: all };
  };

  it.each<[string, (names: Names) => object, string]>([
    ['singular', ({ plural }) => ({ singular: plural }), 'SingularConflict'],
    ['kind', ({ kind }) => ({ kind }), 'KindConflict'],
    ['list kind', ({ kind }) => ({ listKind: `${kind}List` }), 'ListKindConflict'],
    ['short name', ({ plural }) => ({ shortNames: ['sx', plural] }), 'ShortNamesConflict'],
  ])('are accepted when they are free: %s', async (_what, namesOf, reason) => {
    const { definition: first } = await define(OBJECT);
    const second = rival(first, namesOf(first.spec.names));
    const path = `/apis/${second.spec.group}/v1/${second.spec.names.plural}`;
    expect((await http('POST', DEFINITIONS, { body: second })).status).toBe(201);
    await until(second, { NamesAccepted: `False ${reason}`, Established: 'False NotAccepted' });
    expect((await http('GET', path)).status).toBe(404);
    await remove(first);
    await until(second, ESTABLISHED);
    await eventually(async () => {
      expect((await http('GET', path)).status).toBe(200);
    });
    await remove(second);
  });

  it('do not end the service of an established definition', async () => {
    const { definition: first } = await define(OBJECT);
    const second = rival(first);
    const { names, group } = second.spec;
    expect((await http('POST', DEFINITIONS, { body: second })).status).toBe(201);
    await until(second, ESTABLISHED);
    expect((await change(second, { names: { ...names, shortNames: [first.spec.names.plural] } })).status).toBe(200);
    const answer = await until(second, { ...ESTABLISHED, NamesAccepted: 'False ShortNamesConflict' });
    expect(statusOf(answer).acceptedNames).toEqual(names);
    // kube-apiserver answers 429 while it builds the storage again.
    await eventually(async () => {
      expect((await http('GET', `/apis/${group}/v1/${names.plural}`)).status).toBe(200);
    });
    await remove(second);
  });
});

describe('a change of a definition', () => {
  it('of the schema applies to later requests, also for stored objects', async () => {
    const kind = await define(spec({ a: STRING }));
    expect((await kind.create({ spec: { a: 'long text' } })).status).toBe(201);
    const openAPIV3Schema = spec({ a: { ...STRING, maxLength: 3 }, b: { ...STRING, default: 'later' } });
    const changed = await change(kind.definition, { versions: [version({ schema: { openAPIV3Schema } })] });
    expect(changed).toMatchObject({ status: 200, body: { metadata: { generation: 2 } } });
    await eventually(async () => {
      expect(await kind.refusals({ metadata: { name: 'b' }, spec: { a: 'long' } })).toHaveLength(1);
    });
    expect((await http('GET', `${kind.path}/a`)).body).toMatchObject({ spec: { a: 'long text', b: 'later' } });
  });

  it.each<[string, (names: Definition['spec']['names']) => Record<string, unknown>]>([
    ['scope', () => ({ scope: 'Namespaced' })],
    ['group', () => ({ group: 'else.test.io' })],
    ['plural', (names) => ({ names: { ...names, plural: 'elses' } })],
    ['kind', (names) => ({ names: { ...names, kind: 'Renamed', listKind: 'RenamedList' } })],
    ['storage version', () => ({ versions: [version({ name: 'v2' })] })],
  ])('of the %s is refused', async (_what, changes) => {
    const { definition: made, path } = await define(OBJECT);
    expect(await change(made, changes(made.spec.names))).toMatchObject(INVALID);
    expect((await http('GET', path)).status).toBe(200);
  });

  it('of the status is possible in the status subresource only', async () => {
    const { definition: made } = await define(OBJECT);
    const answer = await read(made);
    const status = { ...statusOf(answer), storedVersions: ['v1', 'v2'] };
    const put = await http('PUT', pathOf(made), { body: { ...(answer.body as object), status } });
    expect(statusOf(put).storedVersions).toEqual(['v1']);
    const body = { spec: { scope: 'Namespaced' }, status: { storedVersions: ['v2'] } };
    const changed = await http('PATCH', `${pathOf(made)}/status`, { body, contentType: MERGE });
    expect(changed).toMatchObject({ status: 200, body: { spec: { scope: 'Cluster' } } });
    expect(statusOf(changed).storedVersions).toEqual(['v2']);
    // A stored version is missing in the spec.
    expect(await change(made, { names: { ...made.spec.names, categories: ['all'] } })).toMatchObject(INVALID);
  });
});

describe('the deletion of a definition', () => {
  it('deletes the custom resources', async () => {
    const kind = await define(spec({ a: STRING }));
    for (const name of ['a', 'b']) expect((await kind.create({ metadata: { name } })).status).toBe(201);
    const { metadata } = (await http('GET', kind.path)).body as { metadata: { resourceVersion: string } };
    const query = `watch=true&resourceVersion=${metadata.resourceVersion}`;
    const events = watch(`${kind.path}?${query}`, { until: ({ length }) => length === 2 });
    expect(await http('DELETE', pathOf(kind.definition))).toMatchObject({
      status: 200,
      body: {
        metadata: { finalizers: ['customresourcecleanup.apiextensions.k8s.io'] },
        status: { conditions: [{}, {}, { type: 'Terminating', status: 'True', reason: 'InstanceDeletionPending' }] },
      },
    });
    expect((await events).map(({ type, object: { metadata: { name } } }) => `${type} ${name}`)).toEqual(['DELETED a', 'DELETED b']); // prettier-ignore
    for (const path of [pathOf(kind.definition), kind.path]) await gone(path);
  });

  it('waits for custom resources with finalizers, and new ones are refused', async () => {
    const kind = await define(spec({ a: STRING }));
    await kind.create({ metadata: { name: 'held', finalizers: ['test.io/hold'] } });
    await remove(kind.definition);
    await until(kind.definition, {
      Established: 'True InitialNamesAccepted',
      Terminating: 'True InstanceDeletionInProgress',
    });
    await eventually(async () => {
      const { body } = await http('GET', `${kind.path}/held`);
      expect(body).toMatchObject({ metadata: { deletionTimestamp: expect.any(String) as string } });
    });
    expect(await kind.create({ metadata: { name: 'late' } })).toMatchObject(refused(403, 'Forbidden'));
    await http('PATCH', `${kind.path}/held`, { body: { metadata: { finalizers: null } }, contentType: MERGE });
    await gone(pathOf(kind.definition));
  });

  it('waits for other finalizers', async () => {
    const { definition: made } = await define(OBJECT);
    const setFinalizers = async (finalizers: string[] | null) =>
      await http('PATCH', pathOf(made), { body: { metadata: { finalizers } }, contentType: MERGE });
    await setFinalizers(['test.io/hold']);
    await remove(made);
    const answer = await until(made, { Terminating: 'False InstanceDeletionCompleted' });
    expect(answer.body).toMatchObject({ metadata: { finalizers: ['test.io/hold'] } });
    await setFinalizers(null);
    await gone(pathOf(made));
  });

  it('that was never established does not affect the kind of another', async () => {
    const first = await define(OBJECT);
    const { group, names, scope, versions } = first.definition.spec;
    const plural = `${names.plural}x`;
    const second = { group, scope, versions, names: { plural, kind: names.kind, listKind: 'Others' } };
    const body = { metadata: { name: `${plural}.${group}` }, spec: second };
    expect((await http('POST', DEFINITIONS, { body })).status).toBe(201);
    await until(body, { NamesAccepted: 'False KindConflict' });
    await remove(body);
    await gone(pathOf(body));
    expect((await http('GET', first.path)).status).toBe(200);
  });
});
