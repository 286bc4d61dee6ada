import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueServerCertificate } from '@groundcrew/controller-runtime/certificates';
import { cluster, eventually } from '../../../test/harness/index.ts';

const { http, namespace } = await cluster();

const APISERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
const made: string[] = [];
let where = '';
let server: Server;
let port = 0;
let caBundle = '';
const requests: { method: string | undefined; url: string | undefined; headers: IncomingHttpHeaders }[] = [];

beforeAll(async () => {
  where = await namespace();
  const { ca, cert, key } = await issueServerCertificate({ names: [`backend.${where}.svc`], now: Date.now() });
  caBundle = Buffer.from(ca).toString('base64');
  server = createServer({ cert, key }, ({ method, url = '', headers }, response) => {
    requests.push({ method, url, headers });
    const groupVersion = url.split('/').slice(2, 4).join('/');
    const body = { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: [] };
    response.setHeader('content-type', 'application/json').setHeader('x-answered-by', 'backend');
    response.writeHead(method === 'POST' ? 202 : 200).end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a numeric address');
  ({ port } = address);
  const spec = { type: 'ExternalName', externalName: '127.0.0.1' };
  await http('POST', `/api/v1/namespaces/${where}/services`, { body: { metadata: { name: 'backend' }, spec } });
});
afterAll(async () => {
  for (const path of made) await http('DELETE', path);
  server.closeAllConnections();
  await once(server.close(), 'close');
});

/** Creates an APIService for version v1 of a new group. */
const create = async (spec: Record<string, unknown>) => {
  const group = `g-${randomBytes(4).toString('hex')}.test.io`;
  const path = `${APISERVICES}/v1.${group}`;
  made.push(path);
  const defaults = { group, version: 'v1', groupPriorityMinimum: 1000, versionPriority: 15 };
  const { body } = await http('POST', APISERVICES, {
    body: { metadata: { name: `v1.${group}` }, spec: { ...defaults, ...spec } },
  });
  return { group, path, body, things: `/apis/${group}/v1/things` };
};
const service = (name: string) => ({ service: { namespace: where, name, port } });
const createBackend = async () => await create({ caBundle, ...service('backend') });
const soon = async (attempt: () => Promise<void>) => {
  await eventually(attempt, { timeout: 40_000, interval: 100 });
};
const expectStatus = async (path: string, status: number) => {
  await soon(async () => {
    expect((await http('GET', path)).status).toBe(status);
  });
};
const expectAvailable = async (path: string, status: string, reason: string) => {
  await soon(async () => {
    const conditions = [{ type: 'Available', status, reason }];
    expect((await http('GET', path)).body).toMatchObject({ status: { conditions } });
  });
};

describe('an APIService', () => {
  it('without a Service is available', async () => {
    const { body } = await create({});
    expect(body).toMatchObject({ status: { conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] } });
  });

  it('has port 443 by default', async () => {
    const { body } = await create({ service: { namespace: where, name: 'absent' } });
    expect(body).toMatchObject({ spec: { service: { port: 443 } } });
  });

  it('passes requests to the Service with the name of the user and without credentials', async () => {
    const { group, path } = await createBackend();
    await expectAvailable(path, 'True', 'Passed');
    const target = `/apis/${group}/v1/namespaces/${where}/things/a/start?x=1`;
    await soon(async () => {
      const answer = await http('POST', target, { body: { hello: 'there' } });
      expect(answer).toMatchObject({ status: 202, headers: { 'x-answered-by': 'backend' } });
    });
    const request = requests.find(({ url }) => url === target);
    expect(request?.method).toBe('POST');
    expect(request?.headers['x-remote-user']).toBeTypeOf('string');
    expect(String(request?.headers['x-remote-group'])).toContain('system:masters');
    expect(request?.headers['authorization']).toBeUndefined();
  });

  it('is in discovery until it is deleted', async () => {
    const { group, path, things } = await createBackend();
    const preferredVersion = { groupVersion: `${group}/v1`, version: 'v1' };
    await soon(async () => {
      const { groups } = (await http('GET', '/apis')).body as { groups: { name: string }[] };
      expect(groups.find(({ name }) => name === group)).toMatchObject({ preferredVersion });
    });
    await expectStatus(things, 200);
    await http('DELETE', path);
    await expectStatus(things, 404);
  });

  it('without its Service is not available', async () => {
    const { path, things } = await create({ ...service('absent'), insecureSkipTLSVerify: true });
    await expectAvailable(path, 'False', 'ServiceNotFound');
    await expectStatus(things, 503);
  });
});
