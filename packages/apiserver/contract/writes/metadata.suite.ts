import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { BAD_REQUEST, INVALID } from '../refusal.ts';
import { MERGE, ownersOf, writeScene, type Body } from './write-scene.ts';

const harness = await cluster();
const { http } = harness;
const { configMaps, widgets, subjects, within, make, patch, put, unique } = writeScene(harness);

const owner = (name: string, more: object = {}) => ({ apiVersion: 'v1', kind: 'X', name, uid: name, ...more });

describe.each(subjects)('the metadata of %s', (_what, kind) => {
  const dry = async (metadata: Record<string, unknown>) =>
    await http('POST', kind.path(undefined, '?dryRun=All'), { body: kind.object('x', undefined, metadata) });

  it.each<[string, Record<string, unknown>]>([
    ['a name with upper-case letters', { name: 'A_b' }],
    ['a name with a slash', { name: 'a/b' }],
    ['a name that starts with a hyphen', { name: '-a' }],
    ['a name of 254 characters', { name: 'a'.repeat(254) }],
    ['a label key with a space', { labels: { 'a b': 'v' } }],
    ['a label key with an upper-case prefix', { labels: { 'A.com/x': 'v' } }],
    ['a label key with two slashes', { labels: { 'a/b/c': 'v' } }],
    ['a label key with an empty prefix', { labels: { '/x': 'v' } }],
    ['a label key of 64 characters', { labels: { ['k'.repeat(64)]: 'v' } }],
    ['a label key with a prefix of 254 characters', { labels: { [`${'a'.repeat(254)}/x`]: 'v' } }],
    ['a label value with a space', { labels: { ok: 'x y' } }],
    ['a label value that is a hyphen', { labels: { ok: '-' } }],
    ['a label value of 64 characters', { labels: { ok: 'v'.repeat(64) } }],
    ['an annotation key with a space', { annotations: { 'a b': 'x' } }],
    ['annotations of more than 256 KiB', { annotations: { a: 'x'.repeat(262_144) } }],
    ['a finalizer with a space', { finalizers: ['test.io/a b'] }],
    ['both finalizers of the garbage collector', { finalizers: ['orphan', 'foregroundDeletion'] }],
    ['an empty owner reference', { ownerReferences: [{}] }],
    ['an owner reference without a uid', { ownerReferences: [owner('a', { uid: undefined })] }],
    ['two controllers', { ownerReferences: ['a', 'b'].map((name) => owner(name, { controller: true })) }],
    ['an Event as owner', { ownerReferences: [owner('a', { kind: 'Event' })] }],
  ])('is refused with %s', async (_name, metadata) => {
    expect(await dry(metadata)).toMatchObject(INVALID);
  });

  it('is refused with an invalid time', async () => {
    expect(await dry({ creationTimestamp: 'soon' })).toMatchObject(BAD_REQUEST);
    expect((await dry({ creationTimestamp: null })).status).toBe(201);
  });

  it('can contain any text in annotations, and a finalizer twice', async () => {
    const annotations = { 'A.com/x': 'any \u0001 text' };
    expect(await dry({ annotations, finalizers: ['test.io/a', 'test.io/a'] })).toMatchObject({
      status: 201,
      body: { metadata: { annotations } },
    });
  });

  it('does not contain empty maps and lists', async () => {
    const { status, body } = await dry({ labels: {}, annotations: {}, finalizers: [], ownerReferences: [] });
    expect(status).toBe(201);
    for (const key of ['labels', 'annotations', 'finalizers', 'ownerReferences'])
      expect(body).not.toHaveProperty(`metadata.${key}`);
  });

  it.each([
    ['name', 'other', BAD_REQUEST],
    ['namespace', 'other', BAD_REQUEST],
    ['uid', 'other', INVALID],
  ])('cannot be patched to another %s', async (key, value, expected) => {
    const name = unique();
    await make(kind.path(), kind.object(name));
    expect(await patch(MERGE, kind.path(name), { metadata: { [key]: value } })).toMatchObject(expected);
  });

  it('keeps creationTimestamp when a patch removes or changes it', async () => {
    const { metadata } = await make(kind.path(), kind.object(unique()));
    for (const creationTimestamp of [null, '2000-01-01T00:00:00Z']) {
      const { body } = await patch(MERGE, kind.path(metadata.name), { metadata: { creationTimestamp } });
      expect(body).toMatchObject({ metadata: { creationTimestamp: metadata['creationTimestamp'] } });
    }
  });
});

describe('the name of', () => {
  const service = { spec: { clusterIP: 'None', ports: [{ port: 80 }] } };
  it.each<[string, string, () => string, string, object, object]>([
    ['a Service', '1a', () => within('services'), '1a', service, INVALID],
    ['a Namespace', 'A', () => '/api/v1/namespaces', 'A', {}, INVALID],
    ['a Namespace', 'a.b', () => '/api/v1/namespaces', 'a.b', {}, INVALID],
    ['a Role', 'a/b', () => within('roles', 'rbac.authorization.k8s.io'), 'a/b', {}, INVALID],
    ['a Role', 'system:x', () => within('roles', 'rbac.authorization.k8s.io'), 'system:x', {}, { status: 201 }],
  ])('%s is checked by the rules of its kind: %s', async (_kind, _shown, path, name, rest, expected) => {
    const answer = await http('POST', `${path()}?dryRun=All`, { body: { metadata: { name }, ...rest } });
    expect(answer).toMatchObject(expected);
  });
});

const managersOf = (body: unknown) => (ownersOf(body) as { manager: string }[]).map(({ manager }) => manager);

// The random requests compare the fields of each manager.
describe('managedFields', () => {
  it('have the name of the program by default', async () => {
    const { body } = await http('POST', configMaps.path(), {
      body: configMaps.object(unique(), { a: '1' }),
      headers: { 'user-agent': 'kubectl/v1.34.0 (linux/amd64) kubernetes/abc' },
    });
    expect(managersOf(body)).toEqual(['kubectl']);
  });

  it.each([
    ['an empty list removes them', () => configMaps, [], undefined],
    ['an empty list keeps them', () => widgets, [], ['unknown']],
    ['an empty entry removes them', () => configMaps, [{}], undefined],
    ['an empty entry removes them', () => widgets, [{}], undefined],
    ['an absent list keeps them', () => configMaps, undefined, ['unknown']],
  ])('%s in a PUT (%#)', async (_what, kindOf, managedFields, expected) => {
    const kind = kindOf();
    const object = await make(kind.path(), kind.object(unique(), { text: '1' }));
    const { body } = await put(kind.path(object.metadata.name), {
      ...object,
      metadata: { ...object.metadata, managedFields },
    });
    expect((body as Body).metadata['managedFields'] && managersOf(body)).toEqual(expected);
  });

  it.each(subjects)('can be set at the creation of %s, and are ignored if they are invalid', async (_what, kind) => {
    const create = async (operation: string) => {
      const managedFields = [
        {
          manager: 'x',
          operation,
          apiVersion: kind.apiVersion,
          time: '2020-01-01T00:00:00Z',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:metadata': { 'f:labels': {} } },
        },
      ];
      const body = kind.object('x', undefined, { managedFields, labels: { a: 'b' } });
      return await http('POST', kind.path(undefined, '?dryRun=All&fieldManager=me'), { body });
    };
    expect(managersOf((await create('Update')).body)).toContain('me');
    expect(managersOf((await create('Other')).body)).toEqual(['me']);
  });

  it.each(['x'.repeat(129), '%01'])('cannot have the manager %s', async (manager) => {
    const body = configMaps.object('x');
    expect(await http('POST', configMaps.path(undefined, `?fieldManager=${manager}`), { body })).toMatchObject(INVALID);
  });
});
