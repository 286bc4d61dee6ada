import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { cluster, type HttpOptions } from '../../../../test/harness/index.ts';
import { refusal } from '../refusal.ts';

const { http, namespace } = await cluster();

const BMCS = '/apis/bmc.kubevirt.io/v1beta1';

let where = '';
let secret = '';

beforeAll(async () => {
  where = await namespace();
  secret = `/api/v1/namespaces/${where}/secrets/one`;
  const made = await http('POST', `/api/v1/namespaces/${where}/secrets`, {
    body: { metadata: { name: 'one', annotations: { yes: 'on', number: '12', when: '2026-01-01T00:00:00Z' } } },
  });
  expect(made.status).toBe(201);
});

const get = (path: string, options: HttpOptions = {}) => http('GET', path, options);

const answer = async (
  path: string,
  options: HttpOptions = {},
  method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS' = 'GET',
) => {
  const { status, body } = await http(method, path, options);
  return { status, body };
};

const noSuchPath = refusal(404, 'NotFound', 'the server could not find the requested resource', {});
const noSuchPage = { status: 404, body: '404 page not found\n' };
const notAllowed = refusal(
  405,
  'MethodNotAllowed',
  'the server does not allow this method on the requested resource',
  {},
);
/** What follows is the media types that a server has beyond these two. */
const routed = expect.stringMatching(
  /^406: Not Acceptable\n\nAvailable representations: application\/json, application\/yaml/,
) as string;
const handled = expect.stringMatching(
  /^only the following media types are accepted: application\/json, application\/yaml/,
) as string;

describe('an answer', () => {
  it.each([undefined, '*/*', 'application/json', 'text/html,*/*', 'application/json;charset=utf-8'])(
    'to Accept: %s is JSON',
    async (accept) => {
      const { status, headers, body } = await get(secret, accept === undefined ? { accept: '' } : { accept });
      expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'application/json' });
      expect(body).toMatchObject({ kind: 'Secret', apiVersion: 'v1' });
      expect(headers['cache-control']).toBe('no-cache, private');
    },
  );

  it.each([
    'application/yaml',
    'application/json;q=0.5,application/yaml',
    'text/html,application/yaml,application/json',
  ])('to Accept: %s is YAML that says the same', async (accept) => {
    const { status, headers, body } = await get(secret, { accept });
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'application/yaml' });
    expect(parse(String(body))).toEqual((await get(secret)).body);
    // For readers of YAML 1.1 these words are no text unless they are quoted.
    expect(body).toContain('\n    number: "12"\n    when: "2026-01-01T00:00:00Z"\n    "yes": "on"\n');
    expect(String(body)).toMatch(/^apiVersion: v1\nkind: Secret\nmetadata:\n {2}annotations:\n/);
  });

  it('to ?pretty is for people to read', async () => {
    // Seen in its size: the harness parses it.
    const size = async (query: string) => Number((await get(`${secret}${query}`)).headers['content-length'] ?? NaN);
    expect(await size('?pretty=true')).toBeGreaterThan(await size(''));
    expect(await size('?pretty=false')).toBe(await size(''));
    expect((await get(`${secret}?pretty=1`)).body).toEqual((await get(secret)).body);
  });

  it('that is a refusal is in the form that was asked for', async () => {
    const { status, headers, body } = await get(`${secret}x`, { accept: 'application/yaml' });
    expect({ status, type: headers['content-type'] }).toEqual({ status: 404, type: 'application/yaml' });
    expect(parse(String(body))).toMatchObject({ kind: 'Status', reason: 'NotFound', code: 404 });
  });
});

describe('an Accept header that cannot be satisfied gets 406', () => {
  it('for built-in kinds', async () => {
    for (const path of [secret, `${secret}x`])
      expect(await answer(path, { accept: 'text/html' })).toEqual(refusal(406, 'NotAcceptable', routed, {}));
  });

  it('for custom resources', async () => {
    expect(await answer(`${BMCS}/virtualmachinebmcs`, { accept: 'text/html' })).toEqual(
      refusal(406, 'NotAcceptable', handled),
    );
  });

  it.each([
    'application/json;as=Nonsense;g=meta.k8s.io;v=v1',
    'application/json;as=Table;g=meta.k8s.io;v=v9',
    'application/json;as=Table;g=other.io;v=v1',
    'application/json;as=Table;v=v1',
  ])('for a form that there is not: %s', async (accept) => {
    expect(await answer(secret, { accept })).toEqual(refusal(406, 'NotAcceptable', handled));
    expect((await get(secret, { accept: `${accept},application/json` })).body).toMatchObject({ kind: 'Secret' });
  });

  it('for a watch in YAML', async () => {
    const { status, body } = await get(`/api/v1/namespaces/${where}/secrets?watch=true&timeoutSeconds=1`, {
      accept: 'application/yaml',
    });
    expect(status).toBe(406);
    expect(parse(String(body))).toMatchObject({
      reason: 'NotAcceptable',
      message: expect.stringMatching(
        /^only the following media types are accepted: application\/json;stream=watch/,
      ) as string,
    });
  });

  it('for /version, which is JSON', async () => {
    const message = '406: Not Acceptable\n\nAvailable representations: application/json';
    expect(await answer('/version', { accept: 'text/html' })).toEqual(refusal(406, 'NotAcceptable', message, {}));
  });
});

describe('a path that leads nowhere', () => {
  it.each([
    '/api/v2',
    '/api/v1/nonsense',
    '/apis/apps/v9',
    '/apis/apps/v9/deployments',
    '/apis/apps/v1/nonsense',
    '/api/v1/secrets/one',
    '/api/v1/namespaces/default/nodes',
    '/api/v1/namespaces/default/pods/x/nonsense',
  ])('of built-in groups is a Status: %s', async (path) => {
    expect(await answer(path)).toEqual(noSuchPath);
  });

  it.each([
    '/nonsense',
    '/apis/nonsense.io',
    '/apis/nonsense.io/v1',
    '/apis/nonsense.io/v1/things',
    `${BMCS}/nonsense`,
    '/apis/bmc.kubevirt.io/v9',
    '/apis/bmc.kubevirt.io/v9/virtualmachinebmcs',
    `${BMCS}/virtualmachinebmcs/one`,
  ])('of nobody is a plain page: %s', async (path) => {
    expect(await answer(path)).toEqual(noSuchPage);
  });

  it('below a custom resource is one that is not found', async () => {
    const path = `${BMCS}/namespaces/${where}/virtualmachinebmcs/one`;
    const details = { group: 'bmc.kubevirt.io', kind: 'virtualmachinebmcs', name: 'one' };
    const message = 'virtualmachinebmcs.bmc.kubevirt.io "one" not found';
    for (const more of ['', '/status', '/nonsense'])
      expect(await answer(path + more)).toEqual(refusal(404, 'NotFound', message, details));
  });
});

describe('a method that there is not', () => {
  it('for built-in kinds gets 405', async () => {
    const collection = `/api/v1/namespaces/${where}/secrets`;
    expect(await answer(collection, { body: {} }, 'PUT')).toEqual(notAllowed);
    expect(await answer(`${collection}/one`, { body: {} }, 'POST')).toEqual(notAllowed);
    expect(await answer(collection, {}, 'OPTIONS')).toEqual(notAllowed);
    expect(await answer('/api/v1/secrets', { body: { metadata: { name: 'x' } } }, 'POST')).toEqual(notAllowed);
    expect(await answer('/api/v1/secrets', {}, 'DELETE')).toEqual(notAllowed);
    expect(await answer('/api/v1/namespaces', {}, 'DELETE')).toEqual(notAllowed);
    expect(await answer(`/api/v1/namespaces/${where}/pods/x/status`, {}, 'DELETE')).toEqual(notAllowed);
    expect((await http('HEAD', `${collection}/one`)).status).toBe(405);
  });

  it('for custom resources gets 405 in words of its own', async () => {
    const one = `${BMCS}/namespaces/${where}/virtualmachinebmcs/one`;
    const unsupported = (verb: string) =>
      refusal(
        405,
        'MethodNotAllowed',
        `${verb} is not supported on resources of kind "virtualmachinebmcs.bmc.kubevirt.io"`,
        { group: 'bmc.kubevirt.io', kind: 'virtualmachinebmcs' },
      );
    expect(await answer(`${one}/status`, {}, 'DELETE')).toEqual(unsupported('delete'));
    expect(await answer(`${one}/status`, { body: {} }, 'POST')).toEqual(unsupported('create'));
    expect(await answer(one, {}, 'OPTIONS')).toEqual(unsupported(''));
    expect(await answer(`${BMCS}/virtualmachinebmcs`, { body: {} }, 'POST')).toEqual(noSuchPage);
    expect(await answer(`${BMCS}/virtualmachinebmcs`, {}, 'DELETE')).toEqual(noSuchPage);
  });

  it('HEAD is had of custom resources and of discovery', async () => {
    const { status, headers, body } = await http('HEAD', `${BMCS}/namespaces/${where}/virtualmachinebmcs`);
    expect({ status, type: headers['content-type'], body }).toEqual({
      status: 200,
      type: 'application/json',
      body: undefined,
    });
    expect((await http('HEAD', '/apis')).status).toBe(200);
  });

  it('for discovery and /version gets 405', async () => {
    for (const path of ['/api', '/apis/apps/v1', '/version'])
      expect(await answer(path, { body: {} }, 'POST')).toEqual(notAllowed);
  });
});
