import { describe, expect, it } from 'vitest';
import { cluster, eventually, type HttpAnswer } from '../../../../test/harness/index.ts';
import {
  causes,
  DEFINITIONS,
  definitionScene,
  spec,
  type Definition,
} from '../../../../test/harness/scenes/definition-scene.ts';

const { http } = await cluster();
const { definition, define, change, read } = definitionScene(http);

interface Status {
  conditions: { type: string; status: string; reason: string; message: string; lastTransitionTime: string }[];
  acceptedNames: object;
  storedVersions: string[];
}

const statusOf = ({ body }: HttpAnswer): Status => (body as { status: Status }).status;
const conditionsOf = (answer: HttpAnswer): object =>
  Object.fromEntries(
    statusOf(answer).conditions.map(({ type, status, reason, message }) => [type, `${status} ${reason}: ${message}`]),
  );
const ESTABLISHED = {
  NamesAccepted: 'True NoConflicts: no conflicts found',
  Established: 'True InitialNamesAccepted: the initial names have been accepted',
};

async function send(body: Definition, cleanUp: Definition[]): Promise<HttpAnswer> {
  cleanUp.push(body);
  const answer = await http('POST', DEFINITIONS, { body });
  expect(answer.status).toBe(201);
  return answer;
}

const until = async (body: Definition, conditions: object): Promise<HttpAnswer> =>
  await eventually(async () => {
    const answer = await read(body);
    expect(conditionsOf(answer)).toEqual(conditions);
    return answer;
  });

describe('a new definition', () => {
  it('gets defaults, and a status when its names are accepted', async () => {
    const body = definition({ type: 'object' }, { spec: { preserveUnknownFields: false } });
    const { group, names } = body.spec;
    const { plural, kind } = names;
    const created = await http('POST', DEFINITIONS, {
      body: { ...body, spec: { ...body.spec, names: { plural, kind } } },
    });
    expect(created).toMatchObject({
      status: 201,
      body: {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { generation: 1 },
        spec: {
          group,
          names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
          scope: 'Cluster',
          versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
          conversion: { strategy: 'None' },
        },
        status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] },
      },
    });
    const answer = await until(body, ESTABLISHED);
    expect(statusOf(answer)).toMatchObject({
      acceptedNames: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      storedVersions: ['v1'],
    });
    expect(answer.body).toMatchObject({ metadata: { generation: 1 } });
    expect((await http('DELETE', `${DEFINITIONS}/${body.metadata.name}`)).status).toBe(200);
  });

  it('is discovered with all of its names', async () => {
    const {
      definition: made,
      group,
      kind,
    } = await define({ type: 'object' }, { spec: { scope: 'Namespaced' }, version: { subresources: { status: {} } } });
    const { plural } = made.spec.names;
    const names = { ...made.spec.names, shortNames: ['xx', 'xy'], categories: ['all-of-it'] };
    expect((await change(made, { names })).status).toBe(200);
    const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
    await eventually(async () => {
      expect((await http('GET', `/apis/${group}/v1`)).body).toEqual({
        kind: 'APIResourceList',
        apiVersion: 'v1',
        groupVersion: `${group}/v1`,
        resources: [
          {
            name: plural,
            singularName: plural.slice(0, -1),
            namespaced: true,
            kind,
            verbs,
            shortNames: ['xx', 'xy'],
            categories: ['all-of-it'],
            storageVersionHash: expect.stringMatching(/^[A-Za-z\d+/]{11}=$/) as string,
          },
          {
            name: `${plural}/status`,
            singularName: '',
            namespaced: true,
            kind,
            verbs: ['get', 'patch', 'update'],
          },
        ],
      });
    });
  });
});

describe('names that another definition of the group has', () => {
  const conflicts: [
    string,
    (names: Definition['spec']['names']) => object,
    (names: Definition['spec']['names']) => string,
  ][] = [
    [
      'singular',
      ({ plural }) => ({ singular: plural }),
      ({ plural }) => `SingularConflict: "${plural}" is already in use`,
    ],
    ['kind', ({ kind }) => ({ kind }), ({ kind }) => `KindConflict: "${kind}" is already in use`],
    [
      'list kind',
      ({ kind }) => ({ listKind: `${kind}List` }),
      ({ kind }) => `ListKindConflict: "${kind}List" is already in use`,
    ],
    [
      'short name',
      ({ plural }) => ({ shortNames: ['sx', plural] }),
      ({ plural }) => `ShortNamesConflict: "${plural}" is already in use`,
    ],
    [
      'two short names',
      ({ plural }) => ({ shortNames: [plural, plural.slice(0, -1)] }),
      ({ plural }) => `ShortNamesConflict: ["${plural}" is already in use, "${plural.slice(0, -1)}" is already in use]`,
    ],
  ];

  it.each(conflicts)('are not accepted until they are free: %s', async (_, namesOf, problem) => {
    const first = await define({ type: 'object' });
    const { group, names } = first.definition.spec;
    const other = definition({ type: 'object' });
    const { plural } = other.spec.names;
    const second: Definition = {
      metadata: { name: `${plural}.${group}` },
      spec: { ...other.spec, group, names: { ...other.spec.names, ...namesOf(names) } },
    };
    const mine: Definition[] = [];
    await send(second, mine);
    await until(second, {
      NamesAccepted: `False ${problem(names)}`,
      Established: 'False NotAccepted: not all names are accepted',
    });
    expect((await http('GET', `/apis/${group}/v1/${plural}`)).status).toBe(404);
    expect((await http('DELETE', `${DEFINITIONS}/${first.definition.metadata.name}`)).status).toBe(200);
    await until(second, ESTABLISHED);
    await eventually(async () => {
      expect((await http('GET', `/apis/${group}/v1/${plural}`)).status).toBe(200);
    });
    expect((await http('DELETE', `${DEFINITIONS}/${second.metadata.name}`)).status).toBe(200);
  });

  it('do not end the service of an established definition', async () => {
    const first = await define({ type: 'object' });
    const { group, names } = first.definition.spec;
    const other = definition({ type: 'object' });
    const second: Definition = {
      metadata: { name: `${other.spec.names.plural}.${group}` },
      spec: { ...other.spec, group },
    };
    const mine: Definition[] = [];
    await send(second, mine);
    await until(second, ESTABLISHED);
    expect((await change(second, { names: { ...other.spec.names, shortNames: [names.plural] } })).status).toBe(200);
    const answer = await until(second, {
      ...ESTABLISHED,
      NamesAccepted: `False ShortNamesConflict: "${names.plural}" is already in use`,
    });
    expect(statusOf(answer).acceptedNames).toEqual(other.spec.names);
    await eventually(async () => {
      expect((await http('GET', `/apis/${group}/v1/${other.spec.names.plural}`)).status).toBe(200);
    });
    expect((await http('DELETE', `${DEFINITIONS}/${second.metadata.name}`)).status).toBe(200);
  });
});

describe('a change of a definition', () => {
  it('of its schema applies from then on, also to stored objects', async () => {
    const kind = await define(spec({ a: { type: 'string' } }));
    expect((await kind.create({ spec: { a: 'long text' } })).status).toBe(201);
    const schema = spec({ a: { type: 'string', maxLength: 3 }, b: { type: 'string', default: 'later' } });
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }];
    const changed = await change(kind.definition, { versions });
    expect(changed).toMatchObject({ status: 200, body: { metadata: { generation: 2 } } });
    await eventually(async () => {
      expect(await kind.refusals({ metadata: { name: 'b' }, spec: { a: 'long' } })).toEqual([
        'FieldValueTooLong spec.a: Too long: may not be more than 3 bytes',
      ]);
    });
    expect((await http('GET', `${kind.path}/a`)).body).toMatchObject({ spec: { a: 'long text', b: 'later' } });
  });

  it('of its status is possible through the status subresource only', async () => {
    const { definition: made } = await define({ type: 'object' });
    const { body } = await read(made);
    const path = `${DEFINITIONS}/${made.metadata.name}`;
    const status = { ...statusOf({ status: 200, headers: {}, body }), storedVersions: ['v1', 'v2'] };
    const put = await http('PUT', path, { body: { ...(body as object), status } });
    expect(put.status).toBe(200);
    expect(statusOf(put).storedVersions).toEqual(['v1']);
    const changed = await http('PATCH', `${path}/status`, {
      body: { spec: { scope: 'Namespaced' }, status: { storedVersions: ['v2'] } },
      contentType: 'application/merge-patch+json',
    });
    expect(changed).toMatchObject({ status: 200, body: { spec: { scope: 'Cluster' } } });
    expect(statusOf(changed).storedVersions).toEqual(['v2']);
    const { metadata, spec: unchanged } = made;
    const refused = await change({ metadata, spec: unchanged }, { names: { ...unchanged.names, categories: ['all'] } });
    expect(refused).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
    expect(causes(refused).join()).toContain(
      'status.storedVersions[0]: Invalid value: "v2": missing from spec.versions',
    );
  });
});

describe('an unknown keyword of a schema', () => {
  it('is dropped with a warning', async () => {
    const body = definition(spec({ a: { type: 'string' } }, { above: 1 }));
    const path = 'spec.versions[0].schema.openAPIV3Schema.properties.spec.above';
    const strict = await http('POST', `${DEFINITIONS}?dryRun=All&fieldValidation=Strict`, { body });
    expect(strict).toMatchObject({ status: 400 });
    const made = await http('POST', `${DEFINITIONS}?dryRun=All`, { body });
    expect(made).toMatchObject({ status: 201, headers: { warning: `299 - "unknown field \\"${path}\\""` } });
    expect(made.body).toHaveProperty('spec.versions.0.schema.openAPIV3Schema', spec({ a: { type: 'string' } }));
  });
});
