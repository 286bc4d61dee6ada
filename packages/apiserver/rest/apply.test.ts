import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at } from '../json.ts';
import {
  APPLY,
  configMap,
  CONFIG_MAPS,
  DEFINITIONS,
  MERGE,
  startTestServer,
  WIDGETS,
  widgets,
  type TestServer,
} from '../testing/index.ts';

let server: TestServer;
let call: TestServer['call'];
beforeAll(async () => {
  server = await startTestServer();
  ({ call } = server);
  const conditions = {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
    items: { type: 'object', required: ['type'], properties: { type: { type: 'string' }, status: { type: 'string' } } },
  };
  const schema = {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string', default: 'x' } } },
        status: { type: 'object', properties: { conditions, phase: { type: 'string' } } },
      },
    },
  };
  await call('POST', DEFINITIONS, widgets({}, { schema }));
});
afterAll(() => server.close());

const apply = (path: string, body: object, query = 'fieldManager=me') =>
  call('PATCH', `${path}?${query}`, body as never, APPLY);
const widgetOf = (more: object) => ({ apiVersion: 'test.io/v1', kind: 'Widget', ...more });

describe('server-side apply over HTTP', () => {
  it('creates, then changes, then leaves alone', async () => {
    const path = `${CONFIG_MAPS}/applied`;
    expect((await apply(path, configMap('applied', { a: '1', b: '1' }))).status).toBe(201);
    const changed = await apply(path, configMap('applied', { a: '2' }));
    expect(changed).toMatchObject({ status: 200, body: { data: { a: '2' } } });
    expect(at(changed.body, 'data', 'b')).toBeUndefined();
    expect(at((await apply(path, configMap('applied', { a: '2' }))).body, 'metadata', 'resourceVersion')).toBe(
      at(changed.body, 'metadata', 'resourceVersion'),
    );
  });

  it('keeps object and status apart', async () => {
    await apply(`${WIDGETS}/w`, widgetOf({ metadata: { name: 'w' }, spec: { a: '1' }, status: { phase: 'lost' } }));
    const { body } = await apply(
      `${WIDGETS}/w/status`,
      widgetOf({ status: { phase: 'Ready', conditions: [{ type: 'A', status: 'True' }] } }),
      'fieldManager=agent',
    );
    expect(body).toMatchObject({ spec: { a: '1', b: 'x' }, status: { phase: 'Ready', conditions: [{ type: 'A' }] } });
    const both = await apply(
      `${WIDGETS}/w/status`,
      widgetOf({ status: { conditions: [{ type: 'B', status: 'False' }] } }),
      'fieldManager=manager',
    );
    expect(both.body).toMatchObject({ status: { phase: 'Ready', conditions: [{ type: 'A' }, { type: 'B' }] } });
    const less = await apply(`${WIDGETS}/w/status`, widgetOf({ status: {} }), 'fieldManager=agent');
    expect(at(less.body, 'status')).toEqual({ conditions: [{ type: 'B', status: 'False' }] });
  });

  it('reports conflicts with those who updated', async () => {
    const path = `${CONFIG_MAPS}/contested`;
    await apply(path, configMap('contested', { a: '1' }));
    await call('PATCH', `${path}?fieldManager=kubectl-edit`, { data: { a: '2' } }, MERGE);
    expect(await apply(path, configMap('contested', { a: '1' }))).toMatchObject({
      status: 409,
      body: {
        message: 'Apply failed with 1 conflict: conflict with "kubectl-edit" using v1: .data.a',
        details: { causes: [{ reason: 'FieldManagerConflict', field: '.data.a' }] },
      },
    });
    expect(await apply(path, configMap('contested', { a: '1' }), 'fieldManager=me&force=true')).toMatchObject({
      body: { data: { a: '1' } },
    });
  });

  it.each<[string, string, object, number, string?]>([
    ['no field manager', `${CONFIG_MAPS}/x`, configMap('x'), 422, ''],
    ['an unknown field', `${CONFIG_MAPS}/x`, { ...configMap('x'), dota: {} }, 500],
    ['managedFields', `${CONFIG_MAPS}/x`, configMap('x', {}, { managedFields: [] }), 400],
    ['no kind', `${CONFIG_MAPS}/x`, { metadata: { name: 'x' } }, 400],
    ['another name', `${CONFIG_MAPS}/x`, configMap('y'), 400],
    ['a uid of an object that does not exist', `${CONFIG_MAPS}/x`, configMap('x', {}, { uid: 'u' }), 409],
    ['an item without its key', `${WIDGETS}/w/status`, widgetOf({ status: { conditions: [{ status: 'True' }] } }), 500],
  ])('refuses %s', async (_what, path, body, status, query) => {
    expect((await apply(path, body, query)).status).toBe(status);
  });

  it('takes YAML', async () => {
    const yaml = Buffer.from('apiVersion: v1\nkind: ConfigMap\nmetadata: {name: from-yaml}\ndata: {a: "1"}\n');
    expect((await call('PATCH', `${CONFIG_MAPS}/from-yaml?fieldManager=me`, yaml, APPLY)).status).toBe(201);
  });

  it('forgets all owners when asked to', async () => {
    await apply(`${CONFIG_MAPS}/forgotten`, configMap('forgotten', { a: '1' }));
    const { body } = await call('PATCH', `${CONFIG_MAPS}/forgotten`, { metadata: { managedFields: [{}] } }, MERGE);
    expect(at(body, 'metadata', 'managedFields')).toBeUndefined();
  });
});
