import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueServerCertificate } from '@groundcrew/controller-runtime/certificates';
import { cluster, eventually } from '../../../../test/harness/index.ts';

const { http, namespace } = await cluster();

const APISERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
const PATIENCE = { timeout: 40_000, interval: 100 };
const made: string[] = [];
let where = '';
let server: Server;
let port = 0;
let caBundle = '';
const asked: { method: string | undefined; url: string | undefined; headers: IncomingHttpHeaders }[] = [];

beforeAll(async () => {
  where = await namespace();
  const { ca, cert, key } = await issueServerCertificate({ names: [`backend.${where}.svc`], now: Date.now() });
  caBundle = Buffer.from(ca).toString('base64');
  server = createServer({ cert, key }, ({ method, url, headers }, response) => {
    asked.push({ method, url, headers });
    const [, , group = '', version = '', ...rest] = (url ?? '').split('/');
    const body = {
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: `${group}/${version}`,
      resources: [],
      rest,
    };
    response.setHeader('content-type', 'application/json').setHeader('x-answered-by', 'backend');
    response.writeHead(method === 'POST' ? 202 : 200).end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a numeric address');
  ({ port } = address);
  await http('POST', `/api/v1/namespaces/${where}/services`, {
    body: { metadata: { name: 'backend' }, spec: { type: 'ExternalName', externalName: '127.0.0.1' } },
  });
});
afterAll(async () => {
  for (const path of made) await http('DELETE', path);
  server.closeAllConnections();
  await once(server.close(), 'close');
});

const newGroup = () => `g-${randomBytes(4).toString('hex')}.test.io`;
const create = async (group: string, spec: Record<string, unknown>, name = `v1.${group}`) => {
  made.push(`${APISERVICES}/${name}`);
  const body = {
    metadata: { name },
    spec: { group, version: 'v1', groupPriorityMinimum: 1000, versionPriority: 15, ...spec },
  };
  return await http('POST', APISERVICES, { body });
};
const behind = (more: Record<string, unknown> = {}) => ({
  caBundle,
  service: { namespace: where, name: 'backend', port },
  ...more,
});
const available = async (group: string) => {
  const { body } = await http('GET', `${APISERVICES}/v1.${group}`);
  const { status } = body as {
    status: { conditions?: { type: string; status: string; reason: string; message: string }[] };
  };
  return status.conditions?.find(({ type }) => type === 'Available');
};

describe('an APIService', () => {
  it('of this server is available at once', async () => {
    const group = newGroup();
    const { status, body } = await create(group, {});
    expect(status).toBe(201);
    expect(body).toMatchObject({
      status: {
        conditions: [
          { type: 'Available', status: 'True', reason: 'Local', message: 'Local APIServices are always available' },
        ],
      },
    });
  });

  it('of a Service asks at the port of https, unless it says otherwise', async () => {
    const { body } = await create(newGroup(), { service: { namespace: where, name: 'nobody' } });
    expect(body).toMatchObject({ spec: { service: { namespace: where, name: 'nobody', port: 443 } } });
  });
});

describe('a group behind a Service', () => {
  it('is answered by the server behind it, which learns who asks', async () => {
    const group = newGroup();
    await create(group, behind());
    await eventually(async () => {
      expect(await available(group)).toMatchObject({ status: 'True', reason: 'Passed', message: 'all checks passed' });
    }, PATIENCE);
    const path = `/apis/${group}/v1/namespaces/${where}/things/a/start?x=1`;
    const answer = await eventually(async () => {
      const got = await http('POST', path, { body: { hello: 'there' } });
      expect(got.status).toBe(202);
      return got;
    }, PATIENCE);
    expect(answer.headers['x-answered-by']).toBe('backend');
    const request = asked.find(({ url }) => url === path);
    expect(request?.method).toBe('POST');
    expect(request?.headers['x-remote-user']).toBeTypeOf('string');
    expect(String(request?.headers['x-remote-group'])).toContain('system:masters');
    expect(request?.headers['authorization']).toBeUndefined();
  });

  it('is in the list of groups', async () => {
    const group = newGroup();
    await create(group, behind());
    await eventually(async () => {
      const { groups } = (await http('GET', '/apis')).body as { groups: { name: string }[] };
      expect(groups.find(({ name }) => name === group)).toMatchObject({
        versions: [{ groupVersion: `${group}/v1`, version: 'v1' }],
        preferredVersion: { groupVersion: `${group}/v1`, version: 'v1' },
      });
    }, PATIENCE);
  });

  it('is not available without the Service', async () => {
    const group = newGroup();
    await create(group, { service: { namespace: where, name: 'nobody' }, insecureSkipTLSVerify: true });
    await eventually(async () => {
      expect(await available(group)).toMatchObject({
        status: 'False',
        reason: 'ServiceNotFound',
        message: `service/nobody in "${where}" is not present`,
      });
    }, PATIENCE);
    await eventually(async () => {
      expect(await http('GET', `/apis/${group}/v1/things`)).toMatchObject({
        status: 503,
        body: 'service unavailable\n',
      });
    }, PATIENCE);
  });

  it('is not reached when its certificate is of another authority', async () => {
    const group = newGroup();
    const { ca } = await issueServerCertificate({ names: ['somebody.else'], now: Date.now() });
    await create(group, behind({ caBundle: Buffer.from(ca).toString('base64') }));
    await eventually(async () => {
      expect((await http('GET', `/apis/${group}/v1/things`)).status).toBe(503);
    }, PATIENCE);
    expect(asked.find(({ url }) => url === `/apis/${group}/v1/things`)).toBeUndefined();
  });

  it('ends with its APIService', async () => {
    const group = newGroup();
    await create(group, behind());
    await eventually(async () => {
      expect((await http('GET', `/apis/${group}/v1/things`)).status).toBe(200);
    }, PATIENCE);
    await http('DELETE', `${APISERVICES}/v1.${group}`);
    await eventually(async () => {
      expect((await http('GET', `/apis/${group}/v1/things`)).status).toBe(404);
    }, PATIENCE);
  });
});
