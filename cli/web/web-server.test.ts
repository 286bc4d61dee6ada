import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SECURITY_HEADERS } from '../../web/server/index.ts';
import { DATA_POLICY } from './bmc-proxy.ts';
import { WebBench } from './testing/web-bench.ts';

let bench: WebBench;
beforeEach(async () => {
  bench = await WebBench.start();
});
afterEach(async () => {
  await bench.close();
});

const REDFISH = '/bmc/vms/web/redfish/v1/';
const CONSOLE = '/bmc/vms/web/console0';

/** A request, what is changed of it, and the status of the answer. `own` stands for the origin of the server, `yes` for a session. */
type Attempt = [
  what: string,
  request: string,
  headers: { host?: string; origin?: string; cookie?: string; [name: string]: string | undefined },
  status: number,
];

/** OWASP: cross-site requests, DNS rebinding, broken access control, path traversal, unexpected methods and sizes. */
const ATTEMPTS: readonly Attempt[] = [
  ['the page without a session', 'GET /', {}, 200],
  ['the status without a session', 'GET /api/status', {}, 401],
  ['the status with an invented token', 'GET /api/status', { cookie: 'groundcrew-PORT=AAAA' }, 401],
  ['the status with the cookie of another port', 'GET /api/status', { cookie: 'groundcrew-1=TOKEN' }, 401],
  ['changes without a session', 'GET /api/changes', {}, 401],
  ['the data of a BMC without a session', `GET ${REDFISH}`, {}, 401],
  ['the page of a BMC without a session', 'GET /bmc/vms/web/', {}, 303],
  ['a log-out without a session', 'DELETE /session', { origin: 'own' }, 401],
  ['the status', 'GET /api/status', { cookie: 'yes' }, 200],
  ['the status by its other name', 'GET /api/status', { cookie: 'yes', host: 'localhost:PORT' }, 200],
  ['the data of a BMC', `GET ${REDFISH}`, { cookie: 'yes' }, 200],
  ['another name of this machine', 'GET /', { host: 'rebound.example:PORT' }, 421],
  ['another port in the name', 'GET /api/status', { cookie: 'yes', host: '127.0.0.1:1' }, 421],
  ['a name with the right one as user', 'GET /', { host: '127.0.0.1:PORT@evil.example' }, 421],
  ['a change from another page', `POST ${REDFISH}`, { cookie: 'yes', origin: 'https://evil.example' }, 403],
  ['a change from another port', `POST ${REDFISH}`, { cookie: 'yes', origin: 'http://127.0.0.1:1' }, 403],
  ['a change from the other name', `POST ${REDFISH}`, { cookie: 'yes', origin: 'http://localhost:PORT' }, 403],
  ['a change from a sandboxed page', `DELETE ${REDFISH}`, { cookie: 'yes', origin: 'null' }, 403],
  ['a change without Origin', `PATCH ${REDFISH}`, { cookie: 'yes' }, 403],
  ['a change from the page', `PATCH ${REDFISH}`, { cookie: 'yes', origin: 'own' }, 200],
  ['a log-out from another page', 'DELETE /session', { cookie: 'yes', origin: 'https://evil.example' }, 403],
  ['a form as key', 'POST /session', { origin: 'own', 'content-type': 'text/plain' }, 415],
  ['a change of the status', 'POST /api/status', { cookie: 'yes', origin: 'own' }, 405],
  ['TRACE', 'TRACE /session', { cookie: 'yes', origin: 'own' }, 405],
  ['an unusual method at a BMC', `OPTIONS ${REDFISH}`, { cookie: 'yes', origin: 'own' }, 405],
  ['a question about permissions of other pages', 'OPTIONS /api/status', { cookie: 'yes', origin: 'own' }, 405],
  ['a BMC that does not exist', 'GET /bmc/vms/other/redfish/v1/', { cookie: 'yes' }, 404],
  ['a large body', `POST ${REDFISH}`, { cookie: 'yes', origin: 'own', 'content-length': '1048577' }, 413],
];

describe('the server', () => {
  const filled = (value: string, token: string): string =>
    value.replace('PORT', String(bench.port)).replace('TOKEN', token);

  it.each(ATTEMPTS)('answers %s: %s', async (_what, request, given, status) => {
    const { cookie } = await bench.logIn();
    const headers: Record<string, string> = {};
    for (const [name, value = ''] of Object.entries(given)) headers[name] = filled(value, cookie.split('=')[1] ?? '');
    if (given.cookie === 'yes') headers['cookie'] = cookie;
    if (given.origin === 'own') headers['origin'] = bench.origin;
    const [method = '', path = ''] = request.split(' ');
    const answer = await bench.ask(method, path, headers);
    expect(answer.status, answer.body).toBe(status);
    const isData = path === REDFISH && status === 200;
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) {
      const expected = isData && name === 'Content-Security-Policy' ? DATA_POLICY : value;
      expect(answer.headers[name.toLowerCase()], name).toBe(expected);
    }
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    if (status >= 400 || path.startsWith('/api/')) expect(answer.headers['cache-control']).toBe('no-store');
  });

  it.each([
    'redfish/../console0',
    'redfish/v1/%2e%2e/%2e%2e/metrics',
    'redfish/%2fetc',
    'redfish/v1/..%5c',
    'redfish//evil.example/',
    '/redfish/v1/',
    'redfishx',
    'metrics',
    '../../../api/status',
    'kvm/0/../../metrics',
    'redfish/v1/%00',
  ])('forwards nothing but paths of Redfish and of the consoles: %s', async (path) => {
    const headers = await bench.logIn();
    const { body } = await bench.ask('GET', `/bmc/vms/web/${path}`, headers);
    expect(body).toBe(`bmc /${path}`);
    expect(bench.requests).toEqual([]);
  });

  it('sets a cookie that scripts and other sites do not get, once for each link', async () => {
    const { status, headers } = await bench.open();
    expect(status).toBe(204);
    const [cookie = ''] = headers['set-cookie'] ?? [];
    expect(cookie).toMatch(new RegExp(`^groundcrew-${bench.port}=[\\w-]{43}; HttpOnly; SameSite=Strict; Path=/$`));
    expect(bench.keys).toHaveLength(2);
    expect((await bench.open({}, JSON.stringify({ key: bench.keys[0] }))).status).toBe(403);
  });

  it.each([
    ['{"key":1}', 400],
    ['{}', 400],
    ['null', 400],
    ['{', 400],
    [JSON.stringify({ key: 'x'.repeat(2000) }), 413],
  ])('refuses a key of another form: %.20s', async (body, status) => {
    expect((await bench.open({}, body)).status).toBe(status);
  });

  it('refuses a long body whose length the request does not tell', async () => {
    const chunked = { 'transfer-encoding': 'chunked' };
    expect((await bench.open(chunked, JSON.stringify({ key: 'x'.repeat(2000) }))).status).toBe(413);
    expect((await bench.open(chunked)).status).toBe(204);
  });

  it('forgets a browser that logs out', async () => {
    const headers = await bench.logIn();
    const { status, headers: answered } = await bench.ask('DELETE', '/session', { ...headers, origin: bench.origin });
    expect([status, answered['set-cookie']?.[0]]).toEqual([204, expect.stringContaining('Max-Age=0') as string]);
    expect((await bench.ask('GET', '/api/status', headers)).status).toBe(401);
  });

  it('opens a console only for its own page and a session', async () => {
    const { cookie } = await bench.logIn();
    const { origin } = bench;
    const statuses = [];
    for (const headers of [
      { cookie, origin },
      { origin },
      { cookie },
      { cookie, origin: 'https://evil.example' },
      { cookie, origin, host: 'rebound.example' },
    ])
      statuses.push((await bench.upgrade(CONSOLE, headers as Record<string, string>)).status);
    expect(statuses).toEqual([101, 401, 403, 403, 421]);
    expect((await bench.upgrade('/bmc/vms/web/redfish/v1/', { cookie, origin })).status).toBe(404);
    expect((await bench.upgrade(CONSOLE, { cookie, origin, upgrade: 'h2c' })).status).toBe(404);
    expect(bench.requests.filter(({ headers }) => headers.upgrade !== undefined)).toHaveLength(1);
  });

  it('shows neither key nor token nor password in its log', async () => {
    const { cookie } = await bench.logIn();
    const headers = { cookie, origin: bench.origin, 'x-auth-token': 'SECRET-TOKEN', authorization: 'Basic SECRET' };
    const body = JSON.stringify({ UserName: 'admin', Password: 'SECRET-PASSWORD' });
    await bench.ask('POST', '/bmc/vms/web/redfish/v1/SessionService/Sessions?x=SECRET', headers, body);
    bench.api.intercept = () => {
      throw new TypeError('a bug');
    };
    bench.source.read = () => {
      throw new TypeError('a bug');
    };
    await bench.ask('GET', '/bmc/vms/other/redfish/v1/?x=SECRET', headers);
    await bench.upgrade(CONSOLE, { ...headers, 'sec-websocket-protocol': 'binary, groundcrew.token.SECRET' });
    await bench.open({}, JSON.stringify({ key: 'SECRET-KEY' }));
    expect(bench.log).toContain('a browser has used a link');
    expect(bench.log).toContain('opens a console {"browser":1,"bmc":"vms/web","path":"/console0"}');
    for (const secret of ['SECRET', cookie.split('=')[1] ?? '', ...bench.keys]) expect(bench.log).not.toContain(secret);
  });
});
