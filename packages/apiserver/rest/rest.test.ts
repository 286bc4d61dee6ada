import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at } from '../json.ts';
import {
  APPLY,
  configMap,
  CONFIG_MAPS,
  DEFINITIONS,
  MERGE,
  startTestServer,
  widget,
  WIDGETS,
  widgets,
  type TestServer,
} from '../testing/index.ts';

// The suites of contract/ compare status codes, reasons and objects with kube-apiserver, but not the messages.

let server: TestServer;
let call: TestServer['call'];
beforeAll(async () => {
  server = await startTestServer();
  ({ call } = server);
  const spec = { required: ['size'], properties: { size: { type: 'integer', minimum: 1 } } };
  expect((await call('POST', DEFINITIONS, widgets(spec))).status).toBe(201);
  await call('POST', CONFIG_MAPS, configMap('there'));
  await call('POST', WIDGETS, widget('there', { size: 1 }));
});
afterAll(() => server.close());

const unknown = { ...widget('unknown', { size: 1, nope: 1 }), extra: 1 };

it.each([
  ['POST', CONFIG_MAPS, configMap('there'), 409, 'configmaps "there" already exists'],
  ['DELETE', `${CONFIG_MAPS}/away`, undefined, 404, 'configmaps "away" not found'],
  [
    'PUT',
    `${CONFIG_MAPS}/there`,
    configMap('there', { a: '2' }, { resourceVersion: '1' }),
    409,
    'Operation cannot be fulfilled on configmaps "there": the object has been modified; please apply your changes to the latest version and try again',
  ],
  [
    'PUT',
    `${WIDGETS}/there`,
    widget('there', { size: 2 }),
    422,
    'widgets.test.io "there" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
  ],
  [
    'POST',
    WIDGETS,
    widget('bad', { size: 0 }),
    422,
    'Widget.test.io "bad" is invalid: spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1',
  ],
  [
    'POST',
    `${WIDGETS}?fieldValidation=Strict`,
    unknown,
    400,
    'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "extra", unknown field "spec.nope"',
  ],
])('refusals have the message of kube-apiserver: %s %s (%#)', async (method, path, body, status, message) => {
  expect(await call(method, path, body)).toMatchObject({ status, body: { kind: 'Status', code: status, message } });
});

it('a warning names each unknown field', async () => {
  expect((await call('POST', `${WIDGETS}?dryRun=All`, unknown)).headers['warning']).toBe(
    '299 - "unknown field \\"extra\\"", 299 - "unknown field \\"spec.nope\\""',
  );
});

it('a PUT or an apply that changes nothing keeps the resourceVersion', async () => {
  const same = configMap('same', { a: '1' });
  const { body } = await call('POST', `${CONFIG_MAPS}?fieldManager=me`, same);
  const path = `${CONFIG_MAPS}/same?fieldManager=me`;
  const { body: replaced } = await call('PUT', path, same);
  const { body: applied } = await call('PATCH', path, same, APPLY);
  const { body: again } = await call('PATCH', path, same, APPLY);
  const versions = [body, replaced, applied, again].map((object) => at(object, 'metadata', 'resourceVersion'));
  expect(versions[1]).toBe(versions[0]);
  expect(versions[3]).toBe(versions[2]);
});

it('an object that is being deleted accepts no new finalizers and stays deleted', async () => {
  await call('POST', WIDGETS, widget('held', { size: 1 }, { finalizers: ['test.io/hold'] }));
  const deletionTimestamp = expect.any(String) as string;
  const path = `${WIDGETS}/held`;
  const { body } = await call('DELETE', path);
  expect(body).toMatchObject({ metadata: { deletionTimestamp, deletionGracePeriodSeconds: 0, generation: 2 } });
  const more = { metadata: { finalizers: ['test.io/hold', 'test.io/more'] } };
  expect((await call('PATCH', path, more, MERGE)).status).toBe(422);
  const restored = await call('PATCH', path, { metadata: { deletionTimestamp: null } }, MERGE);
  expect(restored.body).toMatchObject({ metadata: { deletionTimestamp } });
  expect((await call('PATCH', path, { metadata: { finalizers: null } }, MERGE)).status).toBe(200);
  expect((await call('GET', path)).status).toBe(404);
});

it('a subresource that only kube-apiserver implements is named in the refusal', async () => {
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

describe('invalid metadata', () => {
  const labelled = configMap('labelled', {}, { labels: { a: 'not a label' } });
  const causes = (body: unknown) => at(body, 'details', 'causes');

  it('is reported once for a create', async () => {
    expect(causes((await call('POST', CONFIG_MAPS, labelled)).body)).toHaveLength(1);
  });

  it('is reported once for an update', async () => {
    await call('POST', CONFIG_MAPS, configMap('labelled'));
    const { body } = await call('PUT', `${CONFIG_MAPS}/labelled`, labelled);
    expect(causes(body)).toHaveLength(1);
    expect(at(body, 'message')).toMatch(/^ConfigMap "labelled" is invalid: metadata.labels: Invalid value: [^[]*regex/);
  });

  it('is reported together with a missing name', async () => {
    const { body } = await call('POST', CONFIG_MAPS, { metadata: { labels: { a: 'not a label' } } });
    expect(causes(body)).toMatchObject([{ field: 'metadata.name' }, { field: 'metadata.labels' }]);
  });
});
