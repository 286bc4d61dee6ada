import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { refusal } from '../refusal.ts';
import { answerOf, masked, owns, writeScene } from './write-scene.ts';

const harness = await cluster();
const { http } = harness;
const { configMaps, widgets, subjects, namespace, make, get, unique } = writeScene(harness);

const MEDIA =
  'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf';

describe('a created object', () => {
  it('of a built-in kind comes back with what the server adds', async () => {
    const name = unique();
    const { status, headers, body } = await http('POST', configMaps.path(), {
      body: configMaps.object(name, { a: '1' }),
    });
    expect(status).toBe(201);
    expect(headers['content-type']).toBe('application/json');
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
      data: { a: '1' },
    });
    expect(await get(configMaps.path(name))).toEqual(body);
  });

  it('of a custom kind is defaulted and has a generation', async () => {
    const name = unique();
    const body = await make(widgets.path(), widgets.object(name, { text: '1' }));
    expect(masked(body)).toEqual({
      apiVersion: widgets.apiVersion,
      kind: 'Widget',
      metadata: {
        name,
        namespace: namespace(),
        uid: '<uid>',
        resourceVersion: '<version>',
        creationTimestamp: '<time>',
        generation: 1,
        managedFields: [
          owns('unknown', { 'f:spec': { '.': {}, 'f:preset': {}, 'f:text': {} } }, { apiVersion: widgets.apiVersion }),
        ],
      },
      spec: { preset: 'p', text: '1' },
    });
    expect(await get(widgets.path(name))).toEqual(body);
  });
});

describe.each(subjects)('of %s', (_what, kind) => {
  const post = async (body: unknown, query = '', contentType = 'application/json') =>
    answerOf(await http('POST', kind.path(undefined, query), { body, contentType }));
  const badRequest = (message?: string) => refusal(400, 'BadRequest', message);
  const noName = kind.invalid('', {
    field: 'metadata.name',
    reason: 'FieldValueRequired',
    message: 'Required value: name or generateName is required',
  });

  it('a name is given once', async () => {
    const name = unique();
    await make(kind.path(), kind.object(name));
    const taken = refusal(409, 'AlreadyExists', `${kind.resource} "${name}" already exists`, kind.details(name));
    expect(await post(kind.object(name))).toEqual(taken);
    expect(await post(kind.object(name), '?dryRun=All')).toEqual(taken);
  });

  it.each([
    ['no name', kind.object(undefined)],
    ['no metadata', { ...kind.object('x'), metadata: undefined }],
    ['metadata that are null', { ...kind.object('x'), metadata: null }],
    ['an empty name', kind.object('')],
    ['an empty prefix', kind.object(undefined, undefined, { generateName: '' })],
  ])('one with %s is refused', async (_name, body) => {
    expect(await post(body)).toEqual(noName);
  });

  it('the namespace is that of the path', async () => {
    const message = 'the namespace of the provided object does not match the namespace sent on the request';
    expect(await post(kind.object('x', undefined, { namespace: 'other' }))).toEqual(badRequest(message));
    const home = await make(kind.path(), kind.object(unique(), undefined, { namespace: '' }));
    expect(home.metadata['namespace']).toBe(namespace());
  });

  it('the namespace must be there', async () => {
    const path = kind.path().replace(namespace(), 'not-there');
    expect(answerOf(await http('POST', path, { body: kind.object('x') }))).toEqual(
      refusal(404, 'NotFound', 'namespaces "not-there" not found', { name: 'not-there', kind: 'namespaces' }),
    );
  });

  it('what the server decides is not taken from the body', async () => {
    const claimed = {
      uid: 'claimed',
      creationTimestamp: '2000-01-01T00:00:00Z',
      deletionTimestamp: '2000-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 5,
      selfLink: '/somewhere',
    };
    const { metadata } = await make(kind.path(), kind.object(unique(), undefined, claimed));
    expect(metadata.uid).not.toBe('claimed');
    expect(metadata['creationTimestamp']).not.toBe('2000-01-01T00:00:00Z');
    for (const key of ['deletionTimestamp', 'deletionGracePeriodSeconds', 'selfLink'])
      expect(metadata).not.toHaveProperty(key);
  });

  it('a resourceVersion is refused, unless it is zero', async () => {
    const versioned = (resourceVersion: string) => kind.object(unique(), undefined, { resourceVersion });
    expect(await post(versioned('1'))).toEqual(
      refusal(500, '', 'resourceVersion should not be set on objects to be created'),
    );
    expect((await post(versioned('0'))).status).toBe(201);
  });

  it.each(['', '{', '{"a":1,}', '{"a":1} x', '{a: b}', 'x', '[]'])('the body %j is refused', async (body) => {
    expect(await post(body)).toEqual(badRequest());
  });

  it.each(['text/plain', 'application/xml', 'application/merge-patch+json', 'nothing'])(
    'a body of type %s is refused',
    async (contentType) => {
      expect(await post(JSON.stringify(kind.object('x')), '', contentType)).toEqual(
        refusal(415, 'UnsupportedMediaType', MEDIA),
      );
    },
  );

  it('the type may come with parameters', async () => {
    expect((await post(kind.object(unique()), '', 'application/json; charset=utf-8')).status).toBe(201);
  });

  it('the body may be YAML, when it says so', async () => {
    const yaml = `apiVersion: ${kind.apiVersion}\nkind: ${kind.kind}\nmetadata:\n  name: in-yaml\n  labels: {a: "1"}\n`;
    expect(await post(yaml, '', 'application/yaml')).toMatchObject({
      status: 201,
      body: { kind: kind.kind, metadata: { name: 'in-yaml', labels: { a: '1' } } },
    });
    expect(await post(yaml)).toMatchObject({ status: 400 });
  });

  it('a body of more than 3 MiB is refused', async () => {
    const body = kind.object('x', { text: 'x'.repeat(3 * 1024 * 1024) });
    expect(await post(body)).toEqual(
      refusal(413, 'RequestEntityTooLarge', 'Request entity too large: limit is 3145728'),
    );
  });
});

describe('the kind in the body', () => {
  const post = async (body: unknown) => answerOf(await http('POST', configMaps.path(), { body }));
  const custom = async (body: unknown) => answerOf(await http('POST', widgets.path(), { body }));

  it.each([
    { kind: 'Other' },
    { kind: 'Secret' },
    { apiVersion: 'v2' },
    { apiVersion: 'foo/v1' },
    { apiVersion: 'a/b/c' },
    { kind: 3 },
  ])('of a built-in one must fit: %j', async (wrong) => {
    expect(await post({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'x' }, ...wrong })).toEqual(
      refusal(400, 'BadRequest'),
    );
  });

  it('of a built-in one can be left out', async () => {
    const name = unique();
    expect(await post({ metadata: { name } })).toMatchObject({
      status: 201,
      body: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name } },
    });
  });

  it('of a custom one must fit', async () => {
    expect(await custom({ ...widgets.object('x'), apiVersion: 'foo/v1' })).toEqual(
      refusal(
        400,
        'BadRequest',
        `the API version in the data (foo/v1) does not match the expected API version (${widgets.apiVersion})`,
      ),
    );
    expect(await custom({ ...widgets.object('x'), kind: 'Other' })).toMatchObject({
      status: 422,
      body: { reason: 'Invalid', details: { causes: [{ field: 'kind', reason: 'FieldValueInvalid' }] } },
    });
  });

  it('of a custom one must be there', async () => {
    expect(await custom({ metadata: { name: 'x' } })).toEqual(refusal(400, 'BadRequest'));
    expect(await custom({ kind: 'Widget', metadata: { name: 'x' } })).toEqual(
      refusal(
        400,
        'BadRequest',
        `the API version in the data () does not match the expected API version (${widgets.apiVersion})`,
      ),
    );
  });
});
