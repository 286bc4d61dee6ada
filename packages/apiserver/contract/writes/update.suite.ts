import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { refusal } from '../refusal.ts';
import { answerOf, masked, owns, writeScene } from './write-scene.ts';

const harness = await cluster();
const { http } = harness;
const { configMaps, widgets, subjects, namespace, within, make, get, put, unique } = writeScene(harness);

describe('a PUT', () => {
  it('replaces an object of a built-in kind as a whole', async () => {
    const name = unique();
    await make(configMaps.path(), configMaps.object(name, { a: '1', b: '2' }, { labels: { l: '1' } }));
    const { status, body } = await put(configMaps.path(name), configMaps.object(name, { a: '3' }));
    expect(status).toBe(200);
    expect(masked(body)).toEqual({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: {
        name,
        namespace: namespace(),
        uid: '<uid>',
        resourceVersion: '<version>',
        creationTimestamp: '<time>',
        managedFields: [owns('unknown', { 'f:data': { '.': {}, 'f:a': {} } })],
      },
      data: { a: '3' },
    });
    expect(await get(configMaps.path(name))).toEqual(body);
  });

  it('replaces an object of a custom kind as a whole, and counts what it specifies', async () => {
    const name = unique();
    const before = await make(widgets.path(), widgets.object(name, { text: '1' }, { labels: { l: '1' } }));
    const { resourceVersion } = before.metadata;
    const { status, body } = await put(widgets.path(name), widgets.object(name, { flag: true }, { resourceVersion }));
    expect(status).toBe(200);
    expect(masked(body)).toEqual({
      apiVersion: widgets.apiVersion,
      kind: 'Widget',
      metadata: {
        name,
        namespace: namespace(),
        uid: '<uid>',
        resourceVersion: '<version>',
        creationTimestamp: '<time>',
        generation: 2,
        managedFields: [
          owns('unknown', { 'f:spec': { '.': {}, 'f:flag': {}, 'f:preset': {} } }, { apiVersion: widgets.apiVersion }),
        ],
      },
      spec: { preset: 'p', flag: true },
    });
    expect(await get(widgets.path(name))).toEqual(body);
  });

  it('of metadata alone is no new generation', async () => {
    const name = unique();
    const before = await make(widgets.path(), widgets.object(name, { text: '1' }));
    const { body } = await put(widgets.path(name), {
      ...before,
      metadata: { ...before.metadata, labels: { a: 'b' }, annotations: { c: 'd' } },
    });
    expect(body).toMatchObject({ metadata: { generation: 1, labels: { a: 'b' }, annotations: { c: 'd' } } });
  });

  it('may leave the resourceVersion of a built-in kind open, not that of a custom one', async () => {
    const name = unique();
    await make(configMaps.path(), configMaps.object(name));
    for (const metadata of [{}, { resourceVersion: '' }, { resourceVersion: '0' }])
      expect((await put(configMaps.path(name), configMaps.object(name, {}, metadata))).status).toBe(200);
    await make(widgets.path(), widgets.object(name));
    for (const metadata of [{}, { resourceVersion: '' }, { resourceVersion: '0' }]) {
      expect(answerOf(await put(widgets.path(name), widgets.object(name, {}, metadata)))).toEqual(
        refusal(
          422,
          'Invalid',
          `${widgets.resource} "${name}" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`,
          {
            ...widgets.details(name),
            causes: [
              {
                reason: 'FieldValueInvalid',
                message: 'Invalid value: 0: must be specified for an update',
                field: 'metadata.resourceVersion',
              },
            ],
          },
        ),
      );
    }
  });
});

describe.each(subjects)('a PUT of %s', (_what, kind) => {
  it.each(['x', '-1'])('with the resourceVersion %s fails', async (resourceVersion) => {
    const name = unique();
    await make(kind.path(), kind.object(name));
    expect(answerOf(await put(kind.path(name), kind.object(name, {}, { resourceVersion })))).toEqual(
      refusal(500, '', `strconv.ParseUint: parsing "${resourceVersion}": invalid syntax`),
    );
  });

  it('is for the name in its path', async () => {
    const name = unique();
    await make(kind.path(), kind.object(name));
    expect(answerOf(await put(kind.path(name), kind.object('other')))).toEqual(
      refusal(400, 'BadRequest', `the name of the object (other) does not match the name on the URL (${name})`),
    );
    expect(answerOf(await put(kind.path(name), kind.object(undefined)))).toEqual(
      refusal(
        400,
        'BadRequest',
        `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
      ),
    );
    expect(answerOf(await put(kind.path(name), kind.object(name, {}, { namespace: 'other' })))).toEqual(
      refusal(
        400,
        'BadRequest',
        'the namespace of the provided object does not match the namespace sent on the request',
      ),
    );
  });

  it('of what is not there is refused, whatever it says', async () => {
    const missing = refusal(404, 'NotFound', `${kind.resource} "nope" not found`, kind.details('nope'));
    for (const metadata of [{}, { resourceVersion: '5' }, { uid: 'u' }])
      expect(answerOf(await put(kind.path('nope'), kind.object('nope', {}, metadata)))).toEqual(missing);
  });

  it('that changes nothing writes nothing', async () => {
    const name = unique();
    const before = await make(kind.path(), kind.object(name, { text: '1' }));
    expect((await put(kind.path(name), before)).body).toEqual(before);
    const { managedFields: _forgotten, ...metadata } = before.metadata;
    expect((await put(kind.path(name), { ...before, metadata })).body).toEqual(before);
    expect(await get(kind.path(name))).toEqual(before);
  });

  it('keeps what the server decided when the object was made', async () => {
    const name = unique();
    const before = await make(kind.path(), kind.object(name, { text: '1' }));
    const { uid, creationTimestamp, resourceVersion } = before.metadata;
    const claimed = { creationTimestamp: '2000-01-01T00:00:00Z', generation: 99, selfLink: '/x', resourceVersion };
    const { body } = await put(kind.path(name), kind.object(name, { text: '2' }, claimed));
    expect(body).toMatchObject({ metadata: { uid, creationTimestamp } });
    expect(body).not.toHaveProperty('metadata.selfLink');
  });

  it('cannot have the object deleted', async () => {
    const name = unique();
    const before = await make(kind.path(), kind.object(name));
    const metadata = { ...before.metadata, deletionTimestamp: '2000-01-01T00:00:00Z', deletionGracePeriodSeconds: 3 };
    const immutable = (field: string, value: string) => ({
      field: `metadata.${field}`,
      reason: 'FieldValueInvalid',
      message: `Invalid value: ${value}: field is immutable`,
    });
    const answer = await put(kind.path(name), { ...before, metadata });
    expect(answer.status).toBe(422);
    expect((answer.body as { message: string }).message).toBe(
      (
        kind.invalid(
          name,
          immutable('deletionTimestamp', '"2000-01-01T00:00:00Z"'),
          immutable('deletionGracePeriodSeconds', '3'),
        ).body as { message: string }
      ).message,
    );
  });

  it('must be one object', async () => {
    const name = unique();
    await make(kind.path(), kind.object(name));
    expect(answerOf(await put(kind.path(name), ''))).toEqual(refusal(400, 'BadRequest'));
  });
});

describe('a PUT of a kind that can be made by it', () => {
  const lease = (name: string, metadata = {}) => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, ...metadata },
    spec: { holderIdentity: 'me', leaseDurationSeconds: 15 },
  });
  const path = (name: string) => `${within('leases', 'coordination.k8s.io')}/${name}`;

  it('creates what is not there', async () => {
    const { status, body } = await put(path('made'), lease('made', { resourceVersion: '5' }));
    expect(status).toBe(201);
    expect(body).toMatchObject({ metadata: { name: 'made' }, spec: { holderIdentity: 'me' } });
    expect(await get(path('made'))).toEqual(body);
  });

  it('does not create what is to have a uid', async () => {
    expect(answerOf(await put(path('claimed'), lease('claimed', { uid: 'u' })))).toEqual(
      refusal(409, 'Conflict', expect.stringContaining('UID in precondition: u, UID in object meta: '), {
        name: 'claimed',
        group: 'coordination.k8s.io',
        kind: 'leases',
      }),
    );
  });

  it('needs the resourceVersion of a lease that is there', async () => {
    await put(path('held'), lease('held'));
    expect(await put(path('held'), lease('held'))).toMatchObject({
      status: 422,
      body: {
        message:
          'leases.coordination.k8s.io "held" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
      },
    });
  });

  it('leaves nothing of a dry run', async () => {
    expect((await http('PUT', `${path('dry')}?dryRun=All`, { body: lease('dry') })).status).toBe(201);
    expect((await http('GET', path('dry'))).status).toBe(404);
  });
});

describe('a PUT of a collection', () => {
  it('is no thing of a built-in kind, and lacks a name of a custom one', async () => {
    expect(answerOf(await put(configMaps.path(), configMaps.object('x')))).toEqual(
      refusal(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {}),
    );
    expect(answerOf(await put(widgets.path(), widgets.object('x')))).toEqual(
      refusal(400, 'BadRequest', 'name must be provided'),
    );
  });
});
