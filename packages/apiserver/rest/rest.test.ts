import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at } from '../json.ts';
import {
  configMap,
  CONFIG_MAPS,
  DEFINITIONS,
  JSON_PATCH,
  MERGE,
  STRATEGIC,
  startTestServer,
  widget,
  WIDGETS,
  widgets,
  type TestServer,
} from '../testing/index.ts';

let server: TestServer;
let call: TestServer['call'];
beforeAll(async () => {
  server = await startTestServer();
  ({ call } = server);
  const spec = {
    required: ['size'],
    properties: { size: { type: 'integer', minimum: 1 }, color: { type: 'string', default: 'red' } },
  };
  expect((await call('POST', DEFINITIONS, widgets(spec))).status).toBe(201);
});
afterAll(() => server.close());

const failure = (status: number, reason: string, message: string) => ({
  status,
  body: { kind: 'Status', status: 'Failure', code: status, reason, message },
});

describe('create', () => {
  it('fills in what the server decides', async () => {
    const { status, body } = await call('POST', CONFIG_MAPS, configMap('made', { a: '1' }));
    expect(status).toBe(201);
    expect(body).toMatchObject({
      metadata: {
        namespace: 'default',
        uid: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        resourceVersion: expect.stringMatching(/^\d+$/) as string,
        creationTimestamp: expect.stringMatching(/Z$/) as string,
      },
    });
  });

  it('makes up a name', async () => {
    const { body } = await call('POST', CONFIG_MAPS, { metadata: { generateName: 'gen-' } });
    expect(at(body, 'metadata', 'name')).toMatch(/^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  it('refuses a name that is taken', async () => {
    await call('POST', CONFIG_MAPS, configMap('taken'));
    expect(await call('POST', CONFIG_MAPS, configMap('taken'))).toMatchObject(
      failure(409, 'AlreadyExists', 'configmaps "taken" already exists'),
    );
  });

  it('with dryRun answers as if, and stores nothing', async () => {
    expect((await call('POST', `${CONFIG_MAPS}?dryRun=All`, configMap('dry'))).status).toBe(201);
    expect((await call('GET', `${CONFIG_MAPS}/dry`)).status).toBe(404);
  });

  it('warns of unknown fields, or refuses them, or is silent', async () => {
    const body = { ...widget('unknown', { size: 1, nope: 1 }), extra: 1 };
    const dry = `${WIDGETS}?dryRun=All`;
    expect((await call('POST', dry, body)).headers['warning']).toBe(
      '299 - "unknown field \\"extra\\"", 299 - "unknown field \\"spec.nope\\""',
    );
    expect((await call('POST', `${dry}&fieldValidation=Ignore`, body)).headers['warning']).toBeUndefined();
    expect(await call('POST', `${dry}&fieldValidation=Strict`, body)).toMatchObject(
      failure(
        400,
        'BadRequest',
        'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "extra", unknown field "spec.nope"',
      ),
    );
  });
});

describe('a custom resource', () => {
  it('is validated and defaulted by its schema', async () => {
    expect(await call('POST', WIDGETS, widget('bad', { size: 0 }))).toMatchObject(
      failure(
        422,
        'Invalid',
        'Widget.test.io "bad" is invalid: spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1',
      ),
    );
    expect((await call('POST', WIDGETS, widget('good', { size: 1 }))).body).toMatchObject({
      spec: { size: 1, color: 'red' },
      metadata: { generation: 1 },
    });
  });

  it('has a status of its own, which the object’s writers do not touch', async () => {
    await call('POST', WIDGETS, { ...widget('split', { size: 1 }), status: { phase: 'lost' } });
    const { body } = await call(
      'PATCH',
      `${WIDGETS}/split/status`,
      { status: { phase: 'Ready' }, spec: { size: 9 }, metadata: { labels: { a: 'b' } } },
      MERGE,
    );
    expect(body).toMatchObject({ spec: { size: 1 }, status: { phase: 'Ready' }, metadata: { generation: 1 } });
    expect(at(body, 'metadata', 'labels')).toBeUndefined();
    expect(
      (await call('PATCH', `${WIDGETS}/split`, { status: { phase: 'x' }, spec: { size: 2 } }, MERGE)).body,
    ).toMatchObject({ spec: { size: 2 }, status: { phase: 'Ready' }, metadata: { generation: 2 } });
  });

  it('is not patched strategically', async () => {
    expect((await call('PATCH', `${WIDGETS}/good`, {}, STRATEGIC)).status).toBe(415);
  });
});

describe('update', () => {
  it('is refused when the object has changed since', async () => {
    const { body } = await call('POST', CONFIG_MAPS, configMap('raced'));
    const resourceVersion = at(body, 'metadata', 'resourceVersion') as string;
    expect(
      (await call('PUT', `${CONFIG_MAPS}/raced`, configMap('raced', { a: '1' }, { resourceVersion }))).status,
    ).toBe(200);
    expect(
      await call('PUT', `${CONFIG_MAPS}/raced`, configMap('raced', { a: '2' }, { resourceVersion })),
    ).toMatchObject(
      failure(
        409,
        'Conflict',
        'Operation cannot be fulfilled on configmaps "raced": the object has been modified; please apply your changes to the latest version and try again',
      ),
    );
    expect((await call('PATCH', `${CONFIG_MAPS}/raced`, { metadata: { resourceVersion } }, MERGE)).status).toBe(409);
  });

  it('that changes nothing writes nothing', async () => {
    const { body } = await call('POST', CONFIG_MAPS, configMap('same', { a: '1' }));
    const { body: after } = await call('PUT', `${CONFIG_MAPS}/same`, configMap('same', { a: '1' }));
    expect(at(after, 'metadata', 'resourceVersion')).toBe(at(body, 'metadata', 'resourceVersion'));
  });

  it('of a custom resource needs the resourceVersion', async () => {
    await call('POST', WIDGETS, widget('versioned', { size: 1 }));
    expect(await call('PUT', `${WIDGETS}/versioned`, widget('versioned', { size: 2 }))).toMatchObject(
      failure(
        422,
        'Invalid',
        'widgets.test.io "versioned" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
      ),
    );
  });

  it('by JSON patch is guarded by its tests', async () => {
    await call('POST', CONFIG_MAPS, configMap('guarded', { a: '1' }));
    const patch = (was: string) => [
      { op: 'test', path: '/data/a', value: was },
      { op: 'replace', path: '/data/a', value: '2' },
    ];
    expect((await call('PATCH', `${CONFIG_MAPS}/guarded`, patch('0'), JSON_PATCH)).status).toBe(422);
    expect((await call('PATCH', `${CONFIG_MAPS}/guarded`, patch('1'), JSON_PATCH)).body).toMatchObject({
      data: { a: '2' },
    });
  });

  it('with a body of a foreign type is refused', async () => {
    await call('POST', CONFIG_MAPS, configMap('fixed'));
    expect((await call('PATCH', `${CONFIG_MAPS}/fixed`, {}, { contentType: 'application/json' })).status).toBe(415);
    expect((await call('POST', CONFIG_MAPS, configMap('x'), { contentType: 'text/plain' })).status).toBe(415);
    expect(
      (await call('POST', CONFIG_MAPS, Buffer.from('metadata: {name: yaml}'), { contentType: 'application/yaml' }))
        .status,
    ).toBe(201);
    expect((await call('POST', CONFIG_MAPS, Buffer.from('{'))).status).toBe(400);
    expect((await call('POST', CONFIG_MAPS, Buffer.alloc(4 * 1024 * 1024, 32))).status).toBe(413);
  });
});

describe('delete', () => {
  it('answers what was deleted', async () => {
    const { body } = await call('POST', CONFIG_MAPS, configMap('away'));
    expect(await call('DELETE', `${CONFIG_MAPS}/away`)).toMatchObject({
      status: 200,
      body: {
        kind: 'Status',
        status: 'Success',
        details: { name: 'away', kind: 'configmaps', uid: at(body, 'metadata', 'uid') },
      },
    });
    expect(await call('DELETE', `${CONFIG_MAPS}/away`)).toMatchObject(
      failure(404, 'NotFound', 'configmaps "away" not found'),
    );
  });

  it('keeps its preconditions', async () => {
    await call('POST', CONFIG_MAPS, configMap('exact'));
    expect((await call('DELETE', `${CONFIG_MAPS}/exact`, { preconditions: { uid: 'x' } })).status).toBe(409);
    expect((await call('DELETE', `${CONFIG_MAPS}/exact`, { preconditions: { resourceVersion: '1' } })).status).toBe(
      409,
    );
    expect((await call('DELETE', `${CONFIG_MAPS}/exact?dryRun=All`)).status).toBe(200);
    expect((await call('GET', `${CONFIG_MAPS}/exact`)).status).toBe(200);
  });

  it('waits for finalizers, to which none can be added any more', async () => {
    await call('POST', WIDGETS, widget('held', { size: 1 }, { finalizers: ['test.io/hold'] }));
    const { body } = await call('DELETE', `${WIDGETS}/held`);
    expect(body).toMatchObject({
      metadata: { deletionTimestamp: expect.any(String) as string, deletionGracePeriodSeconds: 0, generation: 2 },
    });
    expect(
      (await call('PATCH', `${WIDGETS}/held`, { metadata: { finalizers: ['test.io/hold', 'test.io/more'] } }, MERGE))
        .status,
    ).toBe(422);
    expect(
      (await call('PATCH', `${WIDGETS}/held`, { metadata: { deletionTimestamp: null } }, MERGE)).body,
    ).toMatchObject({ metadata: { deletionTimestamp: expect.any(String) as string } });
    expect((await call('PATCH', `${WIDGETS}/held`, { metadata: { finalizers: null } }, MERGE)).status).toBe(200);
    expect((await call('GET', `${WIDGETS}/held`)).status).toBe(404);
  });

  it('takes a selected collection', async () => {
    for (const name of ['col-a', 'col-b'])
      await call('POST', CONFIG_MAPS, configMap(name, {}, { labels: { col: 'yes' } }));
    expect((await call('DELETE', `${CONFIG_MAPS}?labelSelector=col=yes`)).body).toMatchObject({
      kind: 'ConfigMapList',
      items: [{}, {}],
    });
    expect((await call('GET', `${CONFIG_MAPS}?labelSelector=col`)).body).toMatchObject({ items: [] });
  });
});

describe('get and list', () => {
  beforeAll(async () => {
    await call('POST', '/api/v1/namespaces', { metadata: { name: 'paged' } });
    for (const name of ['a', 'b', 'c', 'd'])
      await call('POST', '/api/v1/namespaces/paged/secrets', {
        metadata: { name, labels: { half: name < 'c' ? '1' : '2' } },
      });
  });
  const names = (body: unknown) => ((at(body, 'items') ?? []) as object[]).map((item) => at(item, 'metadata', 'name'));
  const secrets = '/api/v1/namespaces/paged/secrets';

  it('page by page shows one state, whatever happens between', async () => {
    const first = await call('GET', `${secrets}?limit=2`);
    expect(names(first.body)).toEqual(['a', 'b']);
    expect(at(first.body, 'metadata', 'remainingItemCount')).toBe(2);
    await call('DELETE', `${secrets}/c`);
    await call('POST', secrets, { metadata: { name: 'bb' } });
    const second = await call('GET', `${secrets}?limit=2&continue=${at(first.body, 'metadata', 'continue') as string}`);
    expect(names(second.body)).toEqual(['c', 'd']);
    expect(at(second.body, 'metadata', 'resourceVersion')).toBe(at(first.body, 'metadata', 'resourceVersion'));
    expect(at(second.body, 'metadata', 'continue')).toBeUndefined();
  });

  it('select by labels and fields, and refuse fields that cannot be selected by', async () => {
    expect(names((await call('GET', `${secrets}?labelSelector=half=1`)).body)).toEqual(['a', 'b']);
    expect(names((await call('GET', `${secrets}?fieldSelector=type=Opaque,metadata.name!=a`)).body)).toEqual([
      'b',
      'bb',
      'd',
    ]);
    expect((await call('GET', `${secrets}?fieldSelector=data.x=y`)).status).toBe(400);
  });

  it('refuse versions that are no number, or not there yet', async () => {
    expect((await call('GET', `${secrets}?resourceVersion=x`)).status).toBe(400);
    expect(await call('GET', `${secrets}?resourceVersion=99999999`)).toMatchObject({
      status: 504,
      body: { reason: 'Timeout' },
    });
    expect((await call('GET', `${secrets}?continue=x`)).status).toBe(400);
  });
});

describe('what is not there', () => {
  it.each([
    ['GET', '/apis/nope.io/v1/things', 404],
    ['GET', '/api/v1/namespaces/default/nopes', 404],
    ['GET', `${CONFIG_MAPS}/x/nope`, 404],
    ['PUT', CONFIG_MAPS, 405],
    ['POST', `${CONFIG_MAPS}/x`, 405],
    ['GET', '/api/v1/configmaps/x', 404],
  ])('%s %s is refused with %i', async (method, path, status) => {
    expect((await call(method, path, method === 'GET' ? undefined : configMap('x'))).status).toBe(status);
  });

  it('is named where a real server has it', async () => {
    await call('POST', '/api/v1/namespaces/default/pods', {
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    });
    expect(await call('POST', '/api/v1/namespaces/default/pods/p/exec')).toMatchObject({
      status: 501,
      body: { message: "subresource pods/exec is not implemented by the sandbox's API server" },
    });
    expect((await call('GET', '/apis/apps/v1/namespaces/default/deployments/d/scale')).status).toBe(501);
  });
});
