import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { cluster, type HttpOptions } from '../../../../test/harness/index.ts';
import { NOT_FOUND, refused } from '../refusal.ts';

const { http, namespace } = await cluster();

const BMCS = '/apis/bmc.kubevirt.io/v1beta1';
const NOT_ACCEPTABLE = refused(406, 'NotAcceptable');
let where = '';
let secret = '';
let bmc = '';
beforeAll(async () => {
  where = `/api/v1/namespaces/${await namespace()}`;
  secret = `${where}/secrets/one`;
  bmc = `${where.replace('/api/v1', BMCS)}/virtualmachinebmcs/one`;
  const annotations = { yes: 'on', number: '12', when: '2026-01-01T00:00:00Z' };
  expect((await http('POST', `${where}/secrets`, { body: { metadata: { name: 'one', annotations } } })).status).toBe(
    201,
  );
});
const get = async (path: string, options: HttpOptions = {}) => await http('GET', path, options);

describe('the Accept header', () => {
  it.each(['', '*/*', 'application/json', 'text/html,*/*', 'application/json;charset=utf-8'])(
    '%j selects JSON',
    async (accept) => {
      const { headers, body } = await get(secret, { accept });
      expect(headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
      expect(body).toMatchObject({ kind: 'Secret', apiVersion: 'v1' });
    },
  );

  it.each([
    'application/yaml',
    'application/json;q=0.5,application/yaml',
    'text/html,application/yaml,application/json',
  ])('%j selects YAML', async (accept) => {
    const { headers, body } = await get(secret, { accept });
    expect(headers['content-type']).toBe('application/yaml');
    expect(parse(String(body))).toEqual((await get(secret)).body);
    // Parsers of YAML 1.1 would read these words as booleans if they were not quoted.
    expect(body).toContain('"yes": "on"\n');
  });

  it('selects the format of refusals', async () => {
    const { status, headers, body } = await get(`${secret}x`, { accept: 'application/yaml' });
    expect([status, headers['content-type']]).toEqual([404, 'application/yaml']);
    expect(parse(String(body))).toMatchObject({ kind: 'Status', reason: 'NotFound', code: 404 });
  });

  it.each([
    ['a built-in kind', () => secret, 'text/html'],
    ['an object that does not exist', () => `${secret}x`, 'text/html'],
    ['a custom resource', () => `${BMCS}/virtualmachinebmcs`, 'text/html'],
    ['an unknown form', () => secret, 'application/json;as=Nonsense;g=meta.k8s.io;v=v1'],
    ['an unknown version', () => secret, 'application/json;as=Table;g=meta.k8s.io;v=v9'],
    ['no group', () => secret, 'application/json;as=Table;v=v1'],
  ])('is refused if no type is available: %s', async (_name, path, accept) => {
    expect(await get(path(), { accept })).toMatchObject(NOT_ACCEPTABLE);
    expect((await get(secret, { accept: `${accept},application/json` })).status).toBe(200);
  });

  it('cannot select YAML for a watch', async () => {
    const { status } = await get(`${where}/secrets?watch=true&timeoutSeconds=1`, { accept: 'application/yaml' });
    expect(status).toBe(406);
  });
});

it('the parameter pretty adds white space', async () => {
  // The harness parses the body, so the test compares the size.
  const size = async (query: string) => Number((await get(`${secret}${query}`)).headers['content-length'] ?? NaN);
  expect(await size('?pretty=true')).toBeGreaterThan(await size(''));
  expect(await size('?pretty=false')).toBe(await size(''));
});

describe('an unknown path', () => {
  it.each([
    '/api/v2',
    '/api/v1/nonsense',
    '/apis/apps/v9/deployments',
    '/apis/apps/v1/nonsense',
    '/api/v1/secrets/one',
    '/api/v1/namespaces/default/nodes',
    '/api/v1/namespaces/default/pods/x/nonsense',
  ])('of a built-in group is a Status: %s', async (path) => {
    expect(await get(path)).toMatchObject(NOT_FOUND);
  });

  it.each([
    '/nonsense',
    '/apis/nonsense.io',
    '/apis/nonsense.io/v1/things',
    `${BMCS}/nonsense`,
    '/apis/bmc.kubevirt.io/v9/virtualmachinebmcs',
    `${BMCS}/virtualmachinebmcs/one`,
  ])('of another group is plain text: %s', async (path) => {
    expect(await get(path)).toMatchObject({ status: 404, body: '404 page not found\n' });
  });

  it.each(['', '/status', '/nonsense'])('of a custom resource is a Status: %j', async (more) => {
    expect(await get(`${bmc}${more}`)).toMatchObject(NOT_FOUND);
  });
});

it.each<['PUT' | 'POST' | 'DELETE' | 'OPTIONS', () => string]>([
  ['PUT', () => `${where}/secrets`],
  ['POST', () => secret],
  ['OPTIONS', () => secret],
  ['POST', () => '/api/v1/secrets'],
  ['DELETE', () => `${where}/pods/x/status`],
  ['DELETE', () => `${bmc}/status`],
  ['POST', () => `${bmc}/status`],
  ['OPTIONS', () => bmc],
  ['POST', () => '/api'],
  ['POST', () => '/apis/apps/v1'],
  ['POST', () => '/version'],
])('an unsupported method is refused: %s (%#)', async (method, path) => {
  const options = method === 'PUT' || method === 'POST' ? { body: {} } : {};
  expect(await http(method, path(), options)).toMatchObject(refused(405, 'MethodNotAllowed'));
});

it('HEAD is supported by custom resources and discovery', async () => {
  for (const path of [`${BMCS}/virtualmachinebmcs`, '/apis'])
    expect(await http('HEAD', path)).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
});
