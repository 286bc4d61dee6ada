import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { NOT_FOUND, refused } from '../refusal.ts';
import { APPLY, MERGE, ownersOf, STRATEGIC, writeScene, type Body } from './write-scene.ts';

const harness = await cluster();
const { http } = harness;
const { configMaps, widgets, within, make, get, put, patch, unique } = writeScene(harness);
const plain = writeScene(harness, { subresources: {} });

describe('the status of a custom kind', () => {
  const withStatus = async (status: Record<string, unknown> = { phase: 'Ready' }) => {
    const name = unique();
    const made = await make(widgets.path(), { ...widgets.object(name, { text: '1' }), status: { phase: 'lost' } });
    expect(made).not.toHaveProperty('status');
    await patch(MERGE, widgets.path(name, '/status'), { status });
    return { name, path: widgets.path(name), statusPath: widgets.path(name, '/status') };
  };

  it('is the only part that a write of the subresource changes', async () => {
    const { path, statusPath } = await withStatus({});
    const before = await get(path);
    const metadata = { ...before.metadata, labels: { a: 'b' }, annotations: { c: 'd' }, finalizers: ['test.io/hold'] };
    const answer = await put(statusPath, { ...before, metadata, spec: { text: '2' }, status: { phase: 'Ready' } });
    expect(answer).toMatchObject({
      status: 200,
      body: { spec: before.spec as object, metadata: { generation: 1 }, status: { phase: 'Ready' } },
    });
    for (const key of ['labels', 'annotations', 'finalizers'])
      expect(answer.body).not.toHaveProperty(`metadata.${key}`);
    expect(ownersOf(answer.body)).toMatchObject([
      { subresource: 'status', fieldsV1: { 'f:status': { 'f:phase': {} } } },
      { fieldsV1: { 'f:spec': { 'f:text': {} } } },
    ]);
    expect(await get(statusPath)).toEqual(answer.body);
  });

  it('is not found if the object does not exist', async () => {
    const path = widgets.path('nope', '/status');
    const body = widgets.object('nope');
    expect(await put(path, body)).toMatchObject(NOT_FOUND);
    for (const contentType of [MERGE, APPLY])
      expect(await patch(contentType, `${path}?fieldManager=me`, body)).toMatchObject(NOT_FOUND);
  });

  it.each(['POST', 'DELETE'] as const)('does not support %s', async (method) => {
    const { name, statusPath } = await withStatus();
    const answer = await http(method, statusPath, method === 'POST' ? { body: widgets.object(name) } : {});
    expect(answer).toMatchObject(refused(405, 'MethodNotAllowed'));
  });

  it('is an ordinary field if the kind does not have the subresource', async () => {
    const { widgets: bare } = plain;
    const made = await plain.make(bare.path(), { ...bare.object('x', { text: '1' }), status: { phase: 'a' } });
    expect(made).toMatchObject({ metadata: { generation: 1 }, status: { phase: 'a' } });
    expect(await plain.patch(MERGE, bare.path('x'), { status: { phase: 'b' } })).toMatchObject({
      body: { metadata: { generation: 2 }, status: { phase: 'b' } },
    });
    expect(await http('GET', bare.path('x', '/status'))).toMatchObject(NOT_FOUND);
  });
});

describe('the status of a built-in kind', () => {
  it('of a Pod can be written with labels', async () => {
    await http('POST', within('serviceaccounts'), { body: { metadata: { name: 'default' } } });
    const containers = [{ name: 'a', image: 'b' }];
    await make(within('pods'), { metadata: { name: 'p' }, spec: { serviceAccountName: 'default', containers } });
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
    const body = { metadata: { labels: { a: 'b' } }, spec: { hostname: 'lost' }, status };
    const answer = await patch(STRATEGIC, `${within('pods')}/p/status`, body);
    expect(answer).toMatchObject({
      status: 200,
      body: { metadata: { labels: { a: 'b' }, generation: 1 }, status: { qosClass: 'BestEffort', ...status } },
    });
    expect(answer.body).not.toHaveProperty('spec.hostname');
  });

  it('of a Deployment is written without labels', async () => {
    const labels = { a: 'b' };
    const path = within('deployments', 'apps');
    const template = { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'b' }] } };
    await make(path, { metadata: { name: 'd' }, spec: { selector: { matchLabels: labels }, template } });
    const { body } = await patch(STRATEGIC, `${path}/d/status`, {
      metadata: { labels },
      spec: { replicas: 9 },
      status: { replicas: 2 },
    });
    expect(body).toMatchObject({ metadata: { generation: 1 }, spec: { replicas: 1 }, status: { replicas: 2 } });
    expect((body as Body).metadata).not.toHaveProperty('labels');
  });

  it('is not found for a kind without status', async () => {
    await make(configMaps.path(), configMaps.object('c'));
    expect(await http('GET', configMaps.path('c', '/status'))).toMatchObject(NOT_FOUND);
  });
});
