import { createServer as createHttpServer } from 'node:http';
import { createServer, request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareCertificates } from '../identity.ts';
import { at } from '../json.ts';
import type { AnsweredRequest } from './api-server.ts';
import { startTestServer, type TestServer } from '../testing/index.ts';

let server: TestServer;
let call: TestServer['call'];
beforeAll(async () => {
  server = await startTestServer();
  ({ call } = server);
});
afterAll(() => server.close());

describe('authentication', () => {
  it('is required except for health and version', async () => {
    for (const path of ['/healthz', '/readyz', '/livez'])
      expect(await call('GET', path, undefined, { token: '' })).toMatchObject({ status: 200, text: 'ok' });
    expect((await call('GET', '/version', undefined, { token: '' })).body).toMatchObject({ major: '1' });
    for (const token of ['', 'wrong']) {
      expect(await call('GET', '/api/v1/pods', undefined, { token })).toMatchObject({
        status: 401,
        body: { kind: 'Status', reason: 'Unauthorized' },
      });
      expect((await call('GET', '/openapi/v3', undefined, { token })).status).toBe(401);
    }
  });

  it('refuses invalid URLs, which do not stop the server', async () => {
    const raw = async (target: string): Promise<number> =>
      await new Promise((resolve, reject) => {
        const { hostname, port } = new URL(server.server);
        const outgoing = httpsRequest({ hostname, port, path: target, ca: server.ca, agent: false });
        outgoing.once('error', reject);
        outgoing.once('response', (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        });
        outgoing.end();
      });
    expect(await raw('http://[')).toBe(400);
    expect(await raw('//')).toBe(401);
    expect(await raw('//[/healthz')).toBe(401);
    expect(await raw('/healthz')).toBe(200);
  });

  it('reports who was answered what; not what it answers everyone', async () => {
    const answered: AnsweredRequest[] = [];
    const reporting = await startTestServer({ onAnswer: (request) => answered.push(request) });
    await reporting.call('GET', '/readyz');
    await reporting.call('GET', '/api/v1/pods?limit=1');
    await reporting.call('GET', '/api/v1/namespaces/default/pods/none');
    await reporting.call('GET', '/api/v1/pods', undefined, { token: 'wrong' });
    await reporting.close();
    const one = { user: 'sandbox-admin', method: 'GET' };
    expect(answered).toEqual([
      { ...one, path: '/api/v1/pods', status: 200 },
      { ...one, path: '/api/v1/namespaces/default/pods/none', status: 404 },
    ]);
  });

  it('goes on with a request when it is no longer held', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const asked: unknown[] = [];
    const holding = await startTestServer({
      holds: (request) => {
        asked.push(request);
        return request.path.endsWith('/nodes') ? promise : undefined;
      },
    });
    const answers: string[] = [];
    const call = (path: string) => holding.call('GET', path).then(({ status }) => answers.push(`${path} ${status}`));
    const held = call('/api/v1/nodes');
    await call('/api/v1/pods');
    resolve(undefined);
    await held;
    expect(answers).toEqual(['/api/v1/pods 200', '/api/v1/nodes 200']);
    expect(asked[0]).toEqual({ user: 'sandbox-admin', method: 'GET', path: '/api/v1/nodes' });
    await holding.close();
  });

  it('accepts a requested token of a service account until the account is deleted', async () => {
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    await call('POST', accounts, { metadata: { name: 'bob' } });
    const { status, body } = await call('POST', `${accounts}/bob/token`, { spec: { expirationSeconds: 600 } });
    expect(status).toBe(201);
    const token = at(body, 'status', 'token') as string;
    const me = await call('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, { token });
    expect(me.body).toMatchObject({ status: { userInfo: { username: 'system:serviceaccount:default:bob' } } });
    await call('DELETE', `${accounts}/bob`);
    expect((await call('GET', '/api/v1/pods', undefined, { token })).status).toBe(401);
    expect((await call('POST', `${accounts}/default/token`, { spec: { expirationSeconds: 5 } })).status).toBe(422);
  });
});

describe('impersonation', () => {
  const reviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
  const headers = { 'Impersonate-User': 'jane', 'impersonate-extra-scopes': 'view' };

  it.each([
    ['GET', '/api/v1/pods'],
    ['POST', reviews],
    ['GET', '/apis/sub.io/v1/console'],
    ['GET', '/version'],
  ])('is refused: %s %s', async (method, path) => {
    const body = method === 'POST' ? {} : undefined;
    expect(await call(method, path, body, { headers })).toMatchObject({
      status: 501,
      body: {
        kind: 'Status',
        reason: 'NotImplemented',
        message: expect.stringContaining('Impersonate-User, Impersonate-Extra-Scopes') as string,
      },
    });
  });
});

describe('the proxy to a pod', () => {
  const pods = '/api/v1/namespaces/default/pods';

  it('asks the pod for a path at a port', async () => {
    const pod = createHttpServer((request, response) => {
      response.writeHead(request.url === '/none' ? 404 : 200, { 'content-type': 'text/plain' }).end(request.url);
    });
    await new Promise<void>((resolve) => pod.listen(0, '127.0.0.1', resolve));
    const { port } = pod.address() as AddressInfo;
    const ports = [{ containerPort: port }];
    await call('POST', pods, { metadata: { name: 'web' }, spec: { containers: [{ name: 'a', image: 'i', ports }] } });
    expect(await call('GET', `${pods}/web:${port}/proxy/metrics`)).toMatchObject({
      status: 503,
      body: { message: 'error trying to reach service: the pod has no address' },
    });
    const contentType = 'application/merge-patch+json';
    await call('PATCH', `${pods}/web/status`, { status: { podIP: '127.0.0.1' } }, { contentType });
    expect(await call('GET', `${pods}/web:${port}/proxy/metrics/a?b=c`)).toMatchObject({
      status: 200,
      text: '/metrics/a?b=c',
    });
    expect(await call('GET', `${pods}/web/proxy`)).toMatchObject({ status: 200, text: '/' });
    expect((await call('GET', `${pods}/web/proxy/none`)).status).toBe(404);
    expect(await call('GET', `${pods}/web:1/proxy/`)).toMatchObject({
      status: 503,
      body: { message: expect.stringContaining('ECONNREFUSED') as string },
    });
    await new Promise((resolve) => pod.close(resolve));
  });

  it('refuses what it does not do', async () => {
    expect((await call('GET', `${pods}/gone:80/proxy/`)).status).toBe(404);
    expect((await call('GET', `${pods}/web:http/proxy/`)).status).toBe(400);
    expect((await call('GET', `${pods}/https:web:443/proxy/`)).status).toBe(501);
    expect((await call('POST', `${pods}/web/proxy/`, {})).status).toBe(501);
  });
});

describe('the log of a pod', () => {
  it('is read from the kubelet of its node', async () => {
    const { server: certificate } = await prepareCertificates(Date.now());
    const asked: (string | undefined)[] = [];
    const kubelet = createServer(certificate, (request, response) => {
      asked.push(request.url);
      if (request.url?.includes('previous=true') === true)
        response.writeHead(400).end('previous terminated container not found');
      else if (request.url?.includes('follow=true') === true) response.write('hello', () => response.destroy());
      else response.end('hello\n');
    });
    await new Promise<void>((resolve) => kubelet.listen(0, '127.0.0.1', resolve));
    await call('POST', '/api/v1/nodes', { metadata: { name: 'n' } });
    const status = {
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: (kubelet.address() as AddressInfo).port } },
    };
    await call('PATCH', '/api/v1/nodes/n/status', { status }, { contentType: 'application/merge-patch+json' });
    const pods = '/api/v1/namespaces/default/pods';
    await call('POST', pods, {
      metadata: { name: 'p' },
      spec: {
        nodeName: 'n',
        containers: [
          { name: 'a', image: 'i' },
          { name: 'b', image: 'i' },
        ],
      },
    });
    expect(await call('GET', `${pods}/p/log?container=b&tailLines=5&evil=1`)).toMatchObject({
      status: 200,
      text: 'hello\n',
    });
    expect(asked).toEqual(['/containerLogs/default/p/b?tailLines=5']);
    expect(await call('GET', `${pods}/p/log`)).toMatchObject({
      status: 400,
      body: { message: 'a container name must be specified for pod p, choose one of: [a b]' },
    });
    expect(await call('GET', `${pods}/p/log?container=c`)).toMatchObject({
      status: 400,
      body: { message: 'container c is not valid for pod p' },
    });
    expect(await call('GET', `${pods}/p/log?container=a&previous=true`)).toMatchObject({
      status: 400,
      body: { message: 'previous terminated container not found' },
    });
    const broken = await server.open(`${pods}/p/log?container=a&follow=true`);
    await expect(textOf(broken)).rejects.toThrow('aborted');
    kubelet.closeAllConnections();
    await new Promise((resolve) => kubelet.close(resolve));
    expect((await call('GET', `${pods}/p/log?container=a`)).status).toBe(500);
  });

  it('is empty for a pod without a node', async () => {
    await call('POST', '/api/v1/namespaces/default/pods', {
      metadata: { name: 'waiting' },
      spec: { containers: [{ name: 'a', image: 'i' }] },
    });
    expect(await call('GET', '/api/v1/namespaces/default/pods/waiting/log')).toMatchObject({ status: 204, text: '' });
  });
});

describe('the server', () => {
  it('does not start if its port is in use', async () => {
    const { startApiServer } = await import('../index.ts');
    const { silentLogger } = await import('@groundcrew/controller-runtime/testing');
    await expect(startApiServer({ port: Number(new URL(server.server).port), logger: silentLogger })).rejects.toThrow(
      expect.objectContaining({ code: 'EADDRINUSE' }) as Error,
    );
  });
});
