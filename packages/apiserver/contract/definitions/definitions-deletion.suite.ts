import { expect, it } from 'vitest';
import { cluster, eventually } from '../../../../test/harness/index.ts';
import { DEFINITIONS, definitionScene, spec } from '../../../../test/harness/scenes/definition-scene.ts';

const { http, watch } = await cluster();
const { define, read } = definitionScene(http);

const MERGE = 'application/merge-patch+json';

it('deletes the custom resources, and sets conditions', async () => {
  const kind = await define(spec({ a: { type: 'string' } }));
  for (const name of ['a', 'b']) expect((await kind.create({ metadata: { name } })).status).toBe(201);
  const { metadata } = kind.definition;
  const { body } = await http('GET', kind.path);
  const { resourceVersion } = (body as { metadata: { resourceVersion: string } }).metadata;
  const events = watch(`${kind.path}?watch=true&resourceVersion=${resourceVersion}`, {
    until: ({ length }) => length === 2,
  });
  const deleted = await http('DELETE', `${DEFINITIONS}/${metadata.name}`);
  expect(deleted).toMatchObject({
    status: 200,
    body: {
      kind: 'CustomResourceDefinition',
      metadata: {
        deletionTimestamp: expect.any(String) as string,
        finalizers: ['customresourcecleanup.apiextensions.k8s.io'],
      },
      status: {
        conditions: [
          { type: 'NamesAccepted', status: 'True' },
          { type: 'Established', status: 'True' },
          {
            type: 'Terminating',
            status: 'True',
            reason: 'InstanceDeletionPending',
            message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
          },
        ],
      },
    },
  });
  expect((await events).map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual([
    'DELETED a',
    'DELETED b',
  ]);
  await eventually(async () => {
    expect((await read(kind.definition)).status).toBe(404);
    expect((await http('GET', kind.path)).status).toBe(404);
  });
});

it('waits for custom resources with finalizers, and refuses new ones', async () => {
  const kind = await define(spec({ a: { type: 'string' } }));
  const made = await kind.create({ metadata: { name: 'held', finalizers: ['test.io/hold'] } });
  expect(made.status).toBe(201);
  expect((await http('DELETE', `${DEFINITIONS}/${kind.definition.metadata.name}`)).status).toBe(200);
  await eventually(async () => {
    expect(await read(kind.definition)).toMatchObject({
      status: 200,
      body: {
        status: {
          conditions: [
            { type: 'NamesAccepted' },
            { type: 'Established', status: 'True' },
            {
              type: 'Terminating',
              status: 'True',
              reason: 'InstanceDeletionInProgress',
              message: 'CustomResource deletion is in progress',
            },
          ],
        },
      },
    });
  });
  await eventually(async () => {
    expect(await http('GET', `${kind.path}/held`)).toMatchObject({
      status: 200,
      body: { metadata: { deletionTimestamp: expect.any(String) as string } },
    });
  });
  const { group, plural } = { group: kind.group, plural: kind.definition.spec.names.plural };
  expect(await kind.create({ metadata: { name: 'late' } })).toMatchObject({
    status: 403,
    body: {
      reason: 'Forbidden',
      message: `${plural}.${group} "late" is forbidden: create not allowed while custom resource definition is terminating`,
      details: { name: 'late', group, kind: plural },
    },
  });
  const freed = await http('PATCH', `${kind.path}/held`, {
    body: { metadata: { finalizers: null } },
    contentType: MERGE,
  });
  expect(freed.status).toBe(200);
  await eventually(
    async () => {
      expect((await read(kind.definition)).status).toBe(404);
    },
    { timeout: 20_000 },
  );
});

it('removes at once a definition that was never established', async () => {
  const first = await define({ type: 'object' });
  const { group, names, scope, versions } = first.definition.spec;
  const plural = `${names.plural}x`;
  const body = {
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope, versions, names: { plural, kind: names.kind, listKind: 'Others' } },
  };
  const path = `${DEFINITIONS}/${body.metadata.name}`;
  expect((await http('POST', DEFINITIONS, { body })).status).toBe(201);
  await eventually(async () => {
    expect((await http('GET', path)).body).toMatchObject({
      status: { conditions: [{ reason: 'KindConflict' }, { reason: 'NotAccepted' }] },
    });
  });
  expect((await http('DELETE', path)).status).toBe(200);
  await eventually(async () => {
    expect((await http('GET', path)).status).toBe(404);
  });
  expect((await http('GET', first.path)).status).toBe(200);
});

it('keeps other finalizers', async () => {
  const { definition } = await define({ type: 'object' });
  const path = `${DEFINITIONS}/${definition.metadata.name}`;
  const held = await http('PATCH', path, { body: { metadata: { finalizers: ['test.io/hold'] } }, contentType: MERGE });
  expect(held.status).toBe(200);
  expect((await http('DELETE', path)).status).toBe(200);
  await eventually(async () => {
    expect((await http('GET', path)).body).toMatchObject({
      metadata: { finalizers: ['test.io/hold'] },
      status: {
        conditions: [
          {},
          {},
          {
            type: 'Terminating',
            status: 'False',
            reason: 'InstanceDeletionCompleted',
            message: 'removed all instances',
          },
        ],
      },
    });
  });
  await http('PATCH', path, { body: { metadata: { finalizers: null } }, contentType: MERGE });
  await eventually(async () => {
    expect((await http('GET', path)).status).toBe(404);
  });
});
