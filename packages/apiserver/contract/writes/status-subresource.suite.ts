import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { refusal } from '../refusal.ts';
import { answerOf, APPLY, JSON_PATCH, masked, MERGE, owns, ownersOf, STRATEGIC, writeScene } from './write-scene.ts';

const harness = await cluster();
const { http } = harness;
const { configMaps, widgets, within, make, get, put, patch, unique } = writeScene(harness);
const plain = writeScene(harness, { subresources: {} });

const withStatus = async (status: Record<string, unknown> = { phase: 'Ready' }) => {
  const name = unique();
  await make(widgets.path(), { ...widgets.object(name, { text: '1' }), status: { phase: 'lost' } });
  await patch(MERGE, widgets.path(name, '/status'), { status });
  return { name, path: widgets.path(name), statusPath: widgets.path(name, '/status') };
};

describe('the status of a custom kind', () => {
  it('is not written with the object', async () => {
    const name = unique();
    const made = await make(widgets.path(), { ...widgets.object(name, { text: '1' }), status: { phase: 'lost' } });
    expect(made).not.toHaveProperty('status');
    const { body } = await put(widgets.path(name), { ...made, status: { phase: 'lost' } });
    expect(body).toEqual(made);
    expect((await patch(MERGE, widgets.path(name), { status: { phase: 'lost' } })).body).toEqual(made);
  });

  it('is all that is written with the subresource', async () => {
    const name = unique();
    const made = await make(widgets.path(), widgets.object(name, { text: '1' }));
    const { status, body } = await put(widgets.path(name, '/status'), {
      ...made,
      metadata: {
        ...made.metadata,
        labels: { a: 'b' },
        annotations: { c: 'd' },
        finalizers: ['test.io/hold'],
        ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'y', uid: 'z' }],
      },
      spec: { text: '2' },
      status: { phase: 'Ready' },
    });
    expect(status).toBe(200);
    expect(masked(body)).toEqual({
      ...(masked(made) as object),
      metadata: {
        ...(masked(made.metadata) as object),
        managedFields: [
          owns(
            'unknown',
            {
              // Recorded as if they were written.
              'f:metadata': {
                'f:annotations': { '.': {}, 'f:c': {} },
                'f:finalizers': { '.': {}, 'v:"test.io/hold"': {} },
                'f:labels': { '.': {}, 'f:a': {} },
                'f:ownerReferences': { '.': {}, 'k:{"uid":"z"}': {} },
              },
              'f:status': { '.': {}, 'f:phase': {} },
            },
            { apiVersion: widgets.apiVersion, subresource: 'status' },
          ),
          owns('unknown', { 'f:spec': { '.': {}, 'f:preset': {}, 'f:text': {} } }, { apiVersion: widgets.apiVersion }),
        ],
      },
      status: { phase: 'Ready' },
    });
    expect((body as typeof made).metadata.resourceVersion).not.toBe(made.metadata.resourceVersion);
  });

  it('is no new generation', async () => {
    const { path } = await withStatus();
    expect((await get(path)).metadata.generation).toBe(1);
  });

  it('stays when the object is written', async () => {
    const { path } = await withStatus();
    const { status: _left, ...rest } = await get(path);
    expect((await put(path, { ...rest, spec: { text: '2' } })).body).toMatchObject({
      metadata: { generation: 2 },
      status: { phase: 'Ready' },
    });
  });

  it('can be read and taken away', async () => {
    const { path, statusPath } = await withStatus();
    expect(await get(statusPath)).toEqual(await get(path));
    const { status, body } = await patch(MERGE, statusPath, { status: null });
    expect(status).toBe(200);
    expect(body).not.toHaveProperty('status');
  });

  it('is validated', async () => {
    const { statusPath } = await withStatus();
    expect(await patch(MERGE, statusPath, { status: { phase: 3 } })).toMatchObject({
      status: 422,
      body: { reason: 'Invalid' },
    });
  });

  it('follows the rules of concurrency', async () => {
    const { name, path, statusPath } = await withStatus();
    const stale = await get(path);
    await patch(JSON_PATCH, statusPath, [{ op: 'replace', path: '/status/phase', value: 'Changed' }]);
    expect(await put(statusPath, stale)).toMatchObject({ status: 409, body: { reason: 'Conflict' } });
    expect(await put(statusPath, widgets.object(name))).toMatchObject({
      status: 422,
      body: {
        message: `${widgets.resource} "${name}" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`,
      },
    });
  });

  it('is applied by managers of its own', async () => {
    const { statusPath } = await withStatus({});
    const apply = async (manager: string, status: object) =>
      await patch(APPLY, `${statusPath}?fieldManager=${manager}`, {
        apiVersion: widgets.apiVersion,
        kind: 'Widget',
        spec: { text: 'lost' },
        status,
      });
    expect(await apply('agent', { phase: 'Ready' })).toMatchObject({ status: 200, body: { spec: { text: '1' } } });
    expect(await apply('other', { phase: 'Lost' })).toMatchObject({
      status: 409,
      body: {
        message: 'Apply failed with 1 conflict: conflict with "agent" with subresource "status": .status.phase',
      },
    });
  });

  it('is not there of what is not there', async () => {
    const missing = refusal(404, 'NotFound', `${widgets.resource} "nope" not found`, widgets.details('nope'));
    expect(answerOf(await put(widgets.path('nope', '/status'), widgets.object('nope')))).toEqual(missing);
    expect(answerOf(await patch(MERGE, widgets.path('nope', '/status'), {}))).toEqual(missing);
    const applied = await patch(APPLY, widgets.path('nope', '/status?fieldManager=me'), widgets.object('nope'));
    expect(answerOf(applied)).toEqual(missing);
  });

  it.each(['POST', 'DELETE'] as const)('is neither made nor deleted by itself: %s', async (method) => {
    const { name, statusPath } = await withStatus();
    const verb = method === 'POST' ? 'create' : 'delete';
    const { name: _name, ...details } = widgets.details(name);
    const body = method === 'POST' ? { body: widgets.object(name) } : {};
    expect(answerOf(await http(method, statusPath, body))).toEqual(
      refusal(405, 'MethodNotAllowed', `${verb} is not supported on resources of kind "${widgets.resource}"`, details),
    );
  });
});

describe('the status of a custom kind without the subresource', () => {
  const { widgets: bare } = plain;

  it('is a field like any other', async () => {
    const made = await plain.make(bare.path(), { ...bare.object('x', { text: '1' }), status: { phase: 'a' } });
    expect(made).toMatchObject({ metadata: { generation: 1 }, status: { phase: 'a' } });
    expect(await plain.patch(MERGE, bare.path('x'), { status: { phase: 'b' } })).toMatchObject({
      body: { metadata: { generation: 2 }, status: { phase: 'b' } },
    });
    const labels = { metadata: { labels: { a: 'b' } } };
    expect(await plain.patch(MERGE, bare.path('x'), labels)).toMatchObject({ body: { metadata: { generation: 2 } } });
  });

  it('has no path of its own', async () => {
    expect(answerOf(await http('GET', bare.path('x', '/status')))).toEqual(
      refusal(404, 'NotFound', `${bare.resource} "x" not found`, bare.details('x')),
    );
  });
});

describe('the status of a built-in kind', () => {
  it('is written beside the spec, and labels may be along', async () => {
    const body = {
      metadata: { name: 'p' },
      spec: { serviceAccountName: 'default', containers: [{ name: 'a', image: 'b' }] },
    };
    await http('POST', within('serviceaccounts'), { body: { metadata: { name: 'default' } } });
    const made = await make(within('pods'), body);
    expect(made.status).toMatchObject({ phase: 'Pending', qosClass: 'BestEffort' });
    const answer = await patch(STRATEGIC, `${within('pods')}/p/status`, {
      metadata: { labels: { a: 'b' } },
      spec: { hostname: 'lost' },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        metadata: { labels: { a: 'b' }, generation: 1 },
        status: { phase: 'Running', qosClass: 'BestEffort', conditions: [{ type: 'Ready', status: 'True' }] },
      },
    });
    expect(answer.body).not.toHaveProperty('spec.hostname');
  });

  it('of a Deployment leaves its labels', async () => {
    const path = within('deployments', 'apps');
    await make(path, {
      metadata: { name: 'd' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'b' }] } },
      },
    });
    const { body } = await patch(STRATEGIC, `${path}/d/status`, {
      metadata: { labels: { a: 'b' } },
      spec: { replicas: 9 },
      status: { replicas: 2 },
    });
    expect(body).toMatchObject({ metadata: { generation: 1 }, spec: { replicas: 1 }, status: { replicas: 2 } });
    expect(body).not.toHaveProperty('metadata.labels');
    expect(ownersOf(body)).toHaveLength(2);
  });

  it('is not there where the kind has none', async () => {
    await make(configMaps.path(), configMaps.object('c'));
    expect(answerOf(await http('GET', configMaps.path('c', '/status')))).toEqual(
      refusal(404, 'NotFound', 'the server could not find the requested resource', {}),
    );
  });
});
