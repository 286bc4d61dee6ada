import { once } from 'node:events';
import { request, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { issueServerCertificate } from '@groundcrew/controller-runtime/certificates';
import { localLocation } from './bmc-proxy.ts';
import { WebBench } from './testing/web-bench.ts';

let bench: WebBench;
let headers: { cookie: string; origin: string };
beforeEach(async () => {
  bench = await WebBench.start();
  headers = { ...(await bench.logIn()), origin: bench.origin };
});
afterEach(async () => {
  await bench.close();
});

const SESSIONS = '/bmc/vms/web/redfish/v1/SessionService/Sessions';
/** An event stream of the BMC that has sent one event. Other requests get an empty answer. */
async function openStream() {
  const ended = Promise.withResolvers<void>();
  const open = Promise.withResolvers<ServerResponse>();
  bench.answer = (incoming, response) => {
    if (incoming.method !== 'GET') {
      response.end();
      return;
    }
    response.once('close', ended.resolve);
    response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data: 1\n\n');
    open.resolve(response);
  };
  const outgoing = request(bench.origin + SESSIONS, { headers: { ...headers, accept: 'text/event-stream' } }).end();
  outgoing.on('error', () => undefined);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  incoming.on('error', () => undefined);
  const chunks = incoming.setEncoding('utf8')[Symbol.asyncIterator]() as AsyncIterator<string>;
  const response = await open.promise;
  return {
    next: async (): Promise<string> => (await chunks.next()).value as string,
    send: (text: string) => response.write(text),
    leave: () => outgoing.destroy(),
    ended: ended.promise,
  };
}

const UPGRADE = { 'sec-websocket-key': 'AAAA', 'sec-websocket-version': '13', 'sec-websocket-protocol': 'binary' };

describe('a request to a BMC', () => {
  it('has the token and the body, and nothing of ours', async () => {
    const bodies: string[] = [];
    bench.answer = (incoming, response) => {
      incoming.setEncoding('utf8').on('data', (chunk: string) => bodies.push(chunk));
      incoming.on('end', () => response.writeHead(204).end());
    };
    const own = { 'x-auth-token': 'of the BMC', 'if-match': '"1"', 'content-type': 'application/json' };
    const others = { authorization: 'Basic x', referer: bench.origin, 'x-forwarded-for': '1.2.3.4' };
    const { status } = await bench.ask('PATCH', `${SESSIONS}?x=%20y`, { ...headers, ...own, ...others }, '{"é":1}');
    const received = bench.requests.find(({ method }) => method === 'PATCH');
    expect([status, received?.url, bodies.join('')]).toEqual([
      ...[204, '/redfish/v1/SessionService/Sessions?x=%20y', '{"é":1}'],
    ]);
    expect(received?.headers).toMatchObject(own);
    for (const name of ['cookie', 'origin', ...Object.keys(others)]) expect(received?.headers[name]).toBeUndefined();
  });

  it('by WebSocket has the sub-protocols, and neither cookie nor Origin', async () => {
    const { status, headers: answered } = await bench.upgrade('/bmc/vms/web/kvm/0', { ...headers, ...UPGRADE });
    const received = bench.requests.find(({ url }) => url === '/kvm/0');
    expect([status, answered['set-cookie']]).toEqual([101, undefined]);
    expect(received?.headers).toMatchObject(UPGRADE);
    for (const name of ['cookie', 'origin']) expect(received?.headers[name]).toBeUndefined();
  });
});

describe('an answer of a BMC', () => {
  it('has no cookies and no headers by which it would be a page of ours', async () => {
    bench.answer = (_incoming, response) => {
      response.writeHead(201, {
        ...{ 'Set-Cookie': 'groundcrew-1=x', 'Content-Security-Policy': "script-src 'self'", 'X-Auth-Token': 'token' },
        ...{
          'Clear-Site-Data': '"*"',
          'Access-Control-Allow-Origin': '*',
          Location: '/redfish/v1/SessionService/Sessions/1',
        },
        ...{ 'X-Frame-Options': 'ALLOW', 'Content-Type': 'text/html', 'Service-Worker-Allowed': '/' },
      });
      response.end('<script>');
    };
    const answer = await bench.ask('POST', SESSIONS, headers, '{}');
    expect(answer).toMatchObject({ status: 201, body: '<script>' });
    expect(answer.headers).toMatchObject({
      ...{ 'content-security-policy': "default-src 'none'; sandbox", 'x-content-type-options': 'nosniff' },
      ...{ 'x-frame-options': 'DENY', 'x-auth-token': 'token', location: '/redfish/v1/SessionService/Sessions/1' },
    });
    for (const name of ['set-cookie', 'clear-site-data', 'access-control-allow-origin', 'service-worker-allowed'])
      expect(answer.headers[name]).toBeUndefined();
  });

  it('is passed on while it comes, also when the way to the BMC is looked for anew', async () => {
    const stream = await openStream();
    expect(await stream.next()).toBe('data: 1\n\n');
    await bench.clock.advance(60_000);
    const asked = (): number => bench.api.requests.filter((one) => one.includes('/proxy/redfish')).length;
    expect([asked(), bench.connections]).toEqual([1, 1]);
    expect((await bench.ask('POST', SESSIONS, headers, '{}')).status).toBe(200);
    await bench.ask('POST', SESSIONS, headers, '{}');
    // The stream has one connection, and the others share one.
    expect([asked(), bench.connections]).toEqual([2, 2]);
    await bench.clock.advance(60_000);
    await bench.ask('POST', SESSIONS, headers, '{}');
    expect([asked(), bench.connections]).toEqual([3, 2]);
    stream.send('data: 2\n\n');
    expect(await stream.next()).toBe('data: 2\n\n');
  });

  it('is ended when the browser leaves', async () => {
    const stream = await openStream();
    stream.leave();
    await stream.ended;
  });

  it('is ended when the browser logs out', async () => {
    const stream = await openStream();
    await bench.ask('DELETE', '/session', headers);
    await stream.ended;
  });

  it('that breaks off is not whole for the browser either', async () => {
    bench.answer = (_incoming, response) => {
      response.write('part');
      setTimeout(() => response.destroy(), 10);
    };
    await expect(bench.ask('GET', SESSIONS, headers)).rejects.toThrow('aborted');
  });
});

describe('a BMC outside of the API server’s proxy', () => {
  const read = async (): Promise<{ status: number; error: string }> => {
    const { status, body } = await bench.ask('GET', SESSIONS, headers);
    return { status, error: (JSON.parse(body) as { error?: string }).error ?? '' };
  };

  it('must have a certificate of the installation', async () => {
    const { ca } = await issueServerCertificate({ names: ['127.0.0.1'], now: Date.now() });
    bench.publish('groundcrew-system', ca);
    expect(await read()).toMatchObject({ status: 502, error: expect.stringContaining('certificate') as string });
    expect(bench.requests).toEqual([]);
  });

  it('is not reached without that certificate, also if another namespace publishes one', async () => {
    const { data } = bench.api.objects.get('/api/v1/namespaces/groundcrew-system/configmaps/groundcrew-ca') as never;
    bench.publish('vms', (data as { 'ca.crt': string })['ca.crt']);
    bench.api.delete('/api/v1/namespaces/groundcrew-system/configmaps/groundcrew-ca');
    const { status, error } = await read();
    expect(status).toBe(502);
    expect(error).toContain('services "https:web-virtbmc:redfish" is forbidden');
    expect(error).toContain('ConfigMap groundcrew-ca in namespace groundcrew-system cannot be read');
    expect(bench.requests).toEqual([]);
  });

  it('is asked for again after a failure', async () => {
    const path = '/api/v1/namespaces/groundcrew-system/configmaps/groundcrew-ca';
    const { data } = bench.api.objects.get(path) as never;
    bench.api.delete(path);
    expect(await read()).toMatchObject({ status: 502 });
    bench.publish('groundcrew-system', (data as { 'ca.crt': string })['ca.crt']);
    expect(await read()).toMatchObject({ status: 200 });
  });

  it('is not tried if the API server cannot reach it either', async () => {
    bench.api.intercept = ({ path }) =>
      path.includes('/proxy/')
        ? { status: 503, body: { kind: 'Status', message: 'no endpoints available for service' } }
        : undefined;
    const { status, error } = await read();
    expect([status, error]).toEqual([
      ...[502, 'The API server does not reach the BMC: no endpoints available for service'],
    ]);
  });
});

describe('localLocation', () => {
  const base = '/bmc/vms/web';
  const prefix = '/api/v1/namespaces/vms/services/https:web-virtbmc:redfish/proxy';
  it.each([
    ['/redfish/v1/TaskService/Tasks/1', false, '/redfish/v1/TaskService/Tasks/1'],
    [`${prefix}/redfish/v1/Tasks/1`, false, '/redfish/v1/Tasks/1'],
    [`https://10.0.0.1:6443${prefix}/redfish/v1/`, true, `${base}/redfish/v1/`],
    ['/redfish/v1/', true, `${base}/redfish/v1/`],
    ['https://evil.example/redfish/v1/', true, `${base}/redfish/v1/`],
    ['//evil.example/', true, undefined],
    ['https://evil.example/', false, undefined],
    ['/redfish/../api/status', true, undefined],
    ['javascript:alert(1)', true, undefined],
  ])('of %s, a redirect: %s', (location, isRedirect, path) => {
    expect(localLocation(location, { way: { prefix }, base, isRedirect })).toBe(path);
  });
});
