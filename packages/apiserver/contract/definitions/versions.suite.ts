import { beforeAll, describe, expect, it } from 'vitest';
import { cluster, eventually, type HttpAnswer } from '../../../../test/harness/index.ts';
import { causes, definitionScene, spec, type CustomKind } from '../../../../test/harness/scenes/definition-scene.ts';

const { http, watch } = await cluster();
const { define, change, read } = definitionScene(http);

const MERGE = 'application/merge-patch+json';
const STRING = { type: 'string' };
const version = (name: string, fields: object, more: object = {}) => ({
  name,
  served: true,
  storage: false,
  schema: { openAPIV3Schema: spec(fields as Record<string, unknown>) },
  ...more,
});
const one = version('v1', { a: STRING, only_one: STRING });
const two = version('v2', { a: STRING, only_two: { type: 'string', maxLength: 3 } });

const storedVersions = async (kind: CustomKind): Promise<unknown> =>
  ((await read(kind.definition)).body as { status: { storedVersions: unknown } }).status.storedVersions;

const inVersion = (kind: CustomKind, name: string): string => kind.path.replace('/v1/', `/${name}/`);
const specOf = ({ body }: HttpAnswer): unknown => (body as { spec?: unknown }).spec;

/** Waits until the server serves a changed definition. */
const served = (path: string, status = 200): Promise<void> =>
  eventually(async () => {
    expect((await http('GET', path)).status).toBe(status);
  });

describe('a version that is added', () => {
  let kind: CustomKind;
  beforeAll(async () => {
    kind = await define({ type: 'object' }, { spec: { versions: [{ ...one, storage: true }] } });
    expect((await kind.create({ spec: { a: 'x', only_one: 'y' } })).status).toBe(201);
    expect((await change(kind.definition, { versions: [{ ...one, storage: true }, two] })).status).toBe(200);
    await served(inVersion(kind, 'v2'));
  });

  it('shows stored objects without fields that it does not know', async () => {
    const found = await http('GET', `${inVersion(kind, 'v2')}/a`);
    expect(found.body).toMatchObject({ apiVersion: `${kind.group}/v2`, kind: kind.kind });
    expect(specOf(found)).toEqual({ a: 'x' });
    expect(specOf(await http('GET', `${kind.path}/a`))).toEqual({ a: 'x', only_one: 'y' });
    const list = await http('GET', inVersion(kind, 'v2'));
    expect(list.body).toMatchObject({
      apiVersion: `${kind.group}/v2`,
      kind: `${kind.kind}List`,
      items: [{ apiVersion: `${kind.group}/v2`, spec: { a: 'x' } }],
    });
  });

  it('stores objects without fields that the storage version does not know', async () => {
    const made = await http('POST', inVersion(kind, 'v2'), {
      body: {
        apiVersion: `${kind.group}/v2`,
        kind: kind.kind,
        metadata: { name: 'new' },
        spec: { a: 'x', only_two: 'y' },
      },
    });
    expect(made).toMatchObject({ status: 201, body: { apiVersion: `${kind.group}/v2` } });
    expect(specOf(await http('GET', `${kind.path}/new`))).toEqual({ a: 'x' });
    expect(specOf(await http('GET', `${inVersion(kind, 'v2')}/new`))).toEqual({ a: 'x' });
    expect(specOf(made)).toEqual({ a: 'x' });
  });

  it('is validated by its own schema', async () => {
    const answer = await http('PATCH', `${inVersion(kind, 'v2')}/a`, {
      body: { spec: { only_two: 'long' } },
      contentType: MERGE,
    });
    expect(causes(answer)).toEqual(['FieldValueTooLong spec.only_two: Too long: may not be more than 3 bytes']);
  });

  it('prunes fields that it does not know in an update', async () => {
    const path = `${inVersion(kind, 'v2')}/a`;
    const changed = await http('PATCH', path, { body: { spec: { a: 'z' } }, contentType: MERGE });
    expect(changed.status).toBe(200);
    expect(specOf(await http('GET', `${kind.path}/a`))).toEqual({ a: 'z' });
  });

  it('is watched beside the other', async () => {
    const events = await watch(`${inVersion(kind, 'v2')}?watch=true&resourceVersion=0`, {
      until: ({ length }) => length === 2,
    });
    expect(events.map(({ object }) => object.apiVersion)).toEqual([`${kind.group}/v2`, `${kind.group}/v2`]);
  });

  it('accepts only bodies of its own apiVersion', async () => {
    const answer = await http('POST', inVersion(kind, 'v2'), { body: kind.object({ metadata: { name: 'other' } }) });
    expect(answer).toMatchObject({
      status: 400,
      body: {
        reason: 'BadRequest',
        message: `the API version in the data (${kind.group}/v1) does not match the expected API version (${kind.group}/v2)`,
      },
    });
  });

  it('is recorded in managedFields', async () => {
    const applied = await http('PATCH', `${inVersion(kind, 'v2')}/a?fieldManager=m&force=true`, {
      body: { apiVersion: `${kind.group}/v2`, kind: kind.kind, metadata: { name: 'a' }, spec: { a: 'w' } },
      contentType: 'application/apply-patch+yaml',
    });
    const { metadata } = applied.body as { metadata: { managedFields: { manager: string; apiVersion: string }[] } };
    expect(metadata.managedFields.find(({ manager }) => manager === 'm')?.apiVersion).toBe(`${kind.group}/v2`);
  });
});

describe('the stored version', () => {
  it('changes for later writes, and stays in storedVersions', async () => {
    const kind = await define({ type: 'object' }, { spec: { versions: [{ ...one, storage: true }, two] } });
    expect((await kind.create({ spec: { a: 'x', only_one: 'y' } })).status).toBe(201);
    expect(await storedVersions(kind)).toEqual(['v1']);
    expect((await change(kind.definition, { versions: [one, { ...two, storage: true }] })).status).toBe(200);
    expect(await storedVersions(kind)).toEqual(['v1', 'v2']);
    await eventually(async () => {
      expect(
        specOf(await kind.create({ metadata: { name: 'b' }, spec: { only_one: 'y' } }, '?dryRun=All')),
      ).toBeDefined();
      const made = await http('POST', inVersion(kind, 'v2'), {
        body: {
          apiVersion: `${kind.group}/v2`,
          kind: kind.kind,
          metadata: { generateName: 'x' },
          spec: { only_two: 'q' },
        },
      });
      expect(specOf(made)).toEqual({ only_two: 'q' });
    });
    expect(specOf(await http('GET', `${kind.path}/a`))).toEqual({ a: 'x', only_one: 'y' });
    expect((await change(kind.definition, { versions: [{ ...two, storage: true }] })).status).toBe(422);
  });

  it('can be removed when it is not in storedVersions', async () => {
    const kind = await define({ type: 'object' }, { spec: { versions: [one, { ...two, storage: true }] } });
    expect(await storedVersions(kind)).toEqual(['v2']);
    expect((await change(kind.definition, { versions: [{ ...two, storage: true }] })).status).toBe(200);
    await served(kind.path, 404);
    await served(inVersion(kind, 'v2'));
  });
});

describe('a version that is no longer served', () => {
  it('is not found; objects stored in it are read in other versions', async () => {
    const kind = await define({ type: 'object' }, { spec: { versions: [{ ...one, storage: true }, two] } });
    expect((await kind.create({ spec: { a: 'x' } })).status).toBe(201);
    const versions = [{ ...one, storage: true, served: false }, two];
    expect((await change(kind.definition, { versions })).status).toBe(200);
    await served(kind.path, 404);
    await eventually(async () => {
      expect(specOf(await http('GET', `${inVersion(kind, 'v2')}/a`))).toEqual({ a: 'x' });
    });
    // Discovery is written by a controller of its own.
    await eventually(async () => {
      const discovered = await http('GET', `/apis/${kind.group}`);
      expect(discovered.body).toMatchObject({ versions: [{ version: 'v2' }], preferredVersion: { version: 'v2' } });
    });
  });
});

describe('the order of versions', () => {
  it('is by their names, stable versions first', async () => {
    const names = ['foo1', 'v1', 'v1alpha1', 'v10', 'v2', 'v2beta1', 'v11alpha2', 'v3beta1', 'foo10'];
    const versions = names.map((name) => version(name, { a: STRING }, { storage: name === 'v1' }));
    const { group } = await define({ type: 'object' }, { spec: { versions } });
    await eventually(async () => {
      const { body } = await http('GET', `/apis/${group}`);
      const found = body as { versions: { version: string }[]; preferredVersion: { version: string } };
      expect(found.versions.map((entry) => entry.version)).toEqual(['v10', 'v2', 'v1', 'v3beta1', 'v2beta1', 'v11alpha2', 'v1alpha1', 'foo1', 'foo10']); // prettier-ignore
      expect(found.preferredVersion.version).toBe('v10');
    });
  });
});
