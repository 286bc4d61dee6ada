import { X509Certificate } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { createServer, request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareCertificates } from '../identity.ts';
import { at } from '../json.ts';
import { startTestServer, type TestServer } from '../testing/index.ts';

let server: TestServer;
let call: TestServer['call'];
beforeAll(async () => {
  server = await startTestServer();
  ({ call } = server);
});
afterAll(() => server.close());

describe('an aggregated group', async () => {
  const certificates = await prepareCertificates(Date.now());
  const seen: { url: string | undefined; headers: Record<string, unknown>; client: string }[] = [];
  const backend = createServer(
    { ...certificates.server, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      const { subject } = (
        request.socket as unknown as { getPeerCertificate(): { subject?: { CN: string } } }
      ).getPeerCertificate();
      seen.push({ url: request.url, headers: request.headers, client: subject?.CN ?? '' });
      if (request.method === 'PUT') response.writeHead(202).end();
      else
        response
          .setHeader('content-type', 'application/json')
          .end('{"kind":"APIResourceList","groupVersion":"sub.io/v1","resources":[]}');
    },
  );
  backend.on('upgrade', (request, socket) => {
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: ${request.headers.upgrade ?? ''}\r\n\r\n`,
    );
    socket.on('data', (data: Buffer) =>
      socket.write(`${request.headers['x-remote-user']?.toString() ?? ''} said ${data.toString()}`),
    );
  });
  /** Upgrades the connection and sends "hi". Returns the answer, or the status of a refused upgrade. */
  const upgrade = (token: string): Promise<string | number> =>
    new Promise((resolve, reject) => {
      const headers = { connection: 'Upgrade', upgrade: 'echo', authorization: `Bearer ${token}` };
      const outgoing = httpsRequest(`${server.server}/apis/sub.io/v1/console`, {
        ca: server.ca,
        agent: false,
        headers,
      });
      outgoing.once('error', reject);
      outgoing.once('response', ({ statusCode = 0 }) => {
        resolve(statusCode);
      });
      outgoing.once('upgrade', (_answer, socket) => {
        socket.once('data', (data: Buffer) => {
          socket.destroy();
          resolve(data.toString());
        });
        socket.write('hi');
      });
      outgoing.end();
    });
  const apiService = (name: string, more = {}) => ({
    metadata: { name: `v1.${name}` },
    spec: {
      group: name,
      version: 'v1',
      groupPriorityMinimum: 1000,
      versionPriority: 15,
      service: { namespace: 'default', name: 'backend', port: (backend.address() as AddressInfo).port },
      ...more,
    },
  });

  beforeAll(async () => {
    await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
    await call('POST', '/api/v1/namespaces/default/services', {
      metadata: { name: 'backend' },
      spec: { type: 'ExternalName', externalName: '127.0.0.1' },
    });
    await call(
      'POST',
      '/apis/apiregistration.k8s.io/v1/apiservices',
      apiService('sub.io', { insecureSkipTLSVerify: true }),
    );
    // The certificate of the server does not contain backend.default.svc.
    await call(
      'POST',
      '/apis/apiregistration.k8s.io/v1/apiservices',
      apiService('checked.io', { caBundle: Buffer.from(certificates.authority.cert).toString('base64') }),
    );
  });
  afterAll(() => {
    backend.closeAllConnections();
    backend.close();
  });

  const availability = async (name: string) =>
    at((await call('GET', `/apis/apiregistration.k8s.io/v1/apiservices/v1.${name}`)).body, 'status', 'conditions') as
      | { status: string; reason: string }[]
      | undefined;

  it('is available if its server answers', async () => {
    await expect
      .poll(() => availability('sub.io'))
      .toMatchObject([{ type: 'Available', status: 'True', reason: 'Passed' }]);
    expect(at((await call('GET', '/apis')).body, 'groups')).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: 'sub.io' })]),
    );
  });

  it('is served by its server, which receives the user name but not the token', async () => {
    expect(await call('PUT', '/apis/sub.io/v1/namespaces/default/vms/a/start?x=1', {})).toMatchObject({
      status: 202,
      text: '',
    });
    const last = seen.at(-1);
    expect(last).toMatchObject({
      url: '/apis/sub.io/v1/namespaces/default/vms/a/start?x=1',
      client: 'front-proxy-client',
      headers: { 'x-remote-user': 'sandbox-admin', 'x-remote-group': 'system:masters, system:authenticated' },
    });
    expect(last?.headers['authorization']).toBeUndefined();
  });

  it('supports protocol upgrades for WebSockets', async () => {
    expect(await upgrade(server.token)).toBe('sandbox-admin said hi');
    expect(await upgrade('wrong')).toBe(401);
  });

  it('is not available if the certificate is for other names', async () => {
    await expect
      .poll(() => availability('checked.io'))
      .toMatchObject([{ status: 'False', reason: 'FailedDiscoveryCheck' }]);
    expect((await call('GET', '/apis/checked.io/v1')).status).toBe(503);
  });

  it('is checked again if it changes during a check', async () => {
    const asked = Promise.withResolvers<ServerResponse>();
    const slow = createServer(certificates.server, (_request, response) => {
      asked.resolve(response);
    });
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
    const service = { namespace: 'default', name: 'backend', port: (slow.address() as AddressInfo).port };
    const collection = '/apis/apiregistration.k8s.io/v1/apiservices';
    await call('POST', collection, apiService('slow.io', { insecureSkipTLSVerify: true, service }));
    const response = await asked.promise;
    const patch = { spec: { service: { name: 'lost' } } };
    await call('PATCH', `${collection}/v1.slow.io`, patch, { contentType: 'application/merge-patch+json' });
    response.end('{}');
    await expect.poll(() => availability('slow.io')).toMatchObject([{ status: 'False', reason: 'ServiceNotFound' }]);
    slow.closeAllConnections();
    slow.close();
  });

  it('has the CA of the proxy in the ConfigMap extension-apiserver-authentication', async () => {
    const { body } = await call('GET', '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication');
    expect(new X509Certificate(at(body, 'data', 'requestheader-client-ca-file') as string).ca).toBe(true);
  });
});
