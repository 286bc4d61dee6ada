import { beforeAll, describe, expect, it } from 'vitest';
import { cluster, eventually, type HttpAnswer } from '../../../../test/harness/index.ts';
import { definitionScene, spec, type CustomKind } from '../../../../test/harness/scenes/definition-scene.ts';
import { BAD_REQUEST, INVALID } from '../refusal.ts';

const { http, watch } = await cluster();
const { define, change, read } = definitionScene(http);

const STRING = { type: 'string' };
const version = (name: string, fields: Record<string, unknown>, storage = false) => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: spec(fields) },
});
const one = (storage = false) => version('v1', { a: STRING, only_one: STRING }, storage);
const two = (storage = false) => version('v2', { a: STRING, only_two: { type: 'string', maxLength: 3 } }, storage);
const defineBoth = async () => await define({ type: 'object' }, { spec: { versions: [one(true), two()] } });

const storedVersions = async (kind: CustomKind): Promise<unknown> =>
  ((await read(kind.definition)).body as { status: { storedVersions: unknown } }).status.storedVersions;
const v2 = (kind: CustomKind): string => kind.path.replace('/v1/', '/v2/');
const createInV2 = async (kind: CustomKind, name: string, fields: object) =>
  await http('POST', v2(kind), {
    body: { ...kind.object({ metadata: { name }, spec: fields }), apiVersion: `${kind.group}/v2` },
  });
const specOf = ({ body }: HttpAnswer): unknown => (body as { spec?: unknown }).spec;
const served = async (path: string, status = 200): Promise<void> => {
  await eventually(async () => {
    expect((await http('GET', path)).status).toBe(status);
  });
};

describe('a version that is added', () => {
  let kind: CustomKind;
  let apiVersion = '';
  beforeAll(async () => {
    kind = await define({ type: 'object' }, { spec: { versions: [one(true)] } });
    apiVersion = `${kind.group}/v2`;
    expect((await kind.create({ spec: { a: 'x', only_one: 'y' } })).status).toBe(201);
    expect((await change(kind.definition, { versions: [one(true), two()] })).status).toBe(200);
    await served(v2(kind));
  });

  it('shows stored objects without unknown fields', async () => {
    const found = await http('GET', `${v2(kind)}/a`);
    expect(found.body).toMatchObject({ apiVersion, kind: kind.kind });
    expect(specOf(found)).toEqual({ a: 'x' });
    expect(specOf(await http('GET', `${kind.path}/a`))).toEqual({ a: 'x', only_one: 'y' });
    const list = { apiVersion, kind: `${kind.kind}List`, items: [{ apiVersion, spec: { a: 'x' } }] };
    expect((await http('GET', v2(kind))).body).toMatchObject(list);
  });

  it('stores objects without fields that are unknown to the storage version', async () => {
    const made = await createInV2(kind, 'new', { a: 'x', only_two: 'y' });
    expect(made).toMatchObject({ status: 201, body: { apiVersion } });
    for (const path of [kind.path, v2(kind)]) expect(specOf(await http('GET', `${path}/new`))).toEqual({ a: 'x' });
  });

  it('has its own schema for validation, pruning and managedFields', async () => {
    const patch = async (fields: object) =>
      await http('PATCH', `${v2(kind)}/a?fieldManager=m`, {
        body: { spec: fields },
        contentType: 'application/merge-patch+json',
      });
    expect(await patch({ only_two: 'long' })).toMatchObject(INVALID);
    const changed = await patch({ a: 'z' });
    expect(specOf(await http('GET', `${kind.path}/a`))).toEqual({ a: 'z' });
    const { metadata } = changed.body as { metadata: { managedFields: object[] } };
    expect(metadata.managedFields).toContainEqual(expect.objectContaining({ manager: 'm', apiVersion }));
  });

  it('can be watched', async () => {
    const events = await watch(`${v2(kind)}?watch=true&resourceVersion=0`, { until: ({ length }) => length === 2 });
    expect(events).toMatchObject([{ object: { apiVersion } }, { object: { apiVersion } }]);
  });

  it('accepts only bodies of its apiVersion', async () => {
    const body = kind.object({ metadata: { name: 'other' } });
    expect(await http('POST', v2(kind), { body })).toMatchObject(BAD_REQUEST);
  });
});

describe('the storage version', () => {
  it('changes for later writes and stays in storedVersions', async () => {
    const kind = await defineBoth();
    expect((await kind.create({ spec: { a: 'x', only_one: 'y' } })).status).toBe(201);
    expect(await storedVersions(kind)).toEqual(['v1']);
    expect((await change(kind.definition, { versions: [one(), two(true)] })).status).toBe(200);
    expect(await storedVersions(kind)).toEqual(['v1', 'v2']);
    let count = 0;
    await eventually(async () => {
      const made = await createInV2(kind, `b-${(count += 1)}`, { only_two: 'q' });
      expect(specOf(made)).toEqual({ only_two: 'q' });
    });
    expect(specOf(await http('GET', `${kind.path}/a`))).toEqual({ a: 'x', only_one: 'y' });
    expect(await change(kind.definition, { versions: [two(true)] })).toMatchObject(INVALID);
  });

  it('can remain alone if no other version was stored', async () => {
    const kind = await define({ type: 'object' }, { spec: { versions: [one(), two(true)] } });
    expect((await change(kind.definition, { versions: [two(true)] })).status).toBe(200);
    await served(kind.path, 404);
    await served(v2(kind));
  });
});

it('objects of a version that is no longer served are read in another one', async () => {
  const kind = await defineBoth();
  expect((await kind.create({ spec: { a: 'x' } })).status).toBe(201);
  expect((await change(kind.definition, { versions: [{ ...one(true), served: false }, two()] })).status).toBe(200);
  await served(kind.path, 404);
  await eventually(async () => {
    expect(specOf(await http('GET', `${v2(kind)}/a`))).toEqual({ a: 'x' });
  });
  // kube-apiserver updates discovery later.
  await eventually(async () => {
    const versions = { versions: [{ version: 'v2' }], preferredVersion: { version: 'v2' } };
    expect((await http('GET', `/apis/${kind.group}`)).body).toMatchObject(versions);
  });
});

it('discovery sorts versions by stability and number', async () => {
  const sorted = ['v10', 'v2', 'v1', 'v3beta1', 'v2beta1', 'v11alpha2', 'v1alpha1', 'foo1', 'foo10'];
  const versions = sorted.toSorted().map((name) => version(name, { a: STRING }, name === 'v1'));
  const { group } = await define({ type: 'object' }, { spec: { versions } });
  await eventually(async () => {
    const { body } = await http('GET', `/apis/${group}`);
    expect((body as { versions: { version: string }[] }).versions.map((entry) => entry.version)).toEqual(sorted);
    expect(body).toMatchObject({ preferredVersion: { version: 'v10' } });
  });
});
