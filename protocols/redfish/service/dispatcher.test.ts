import { describe, expect, it } from 'vitest';
import { thingsForEach } from '../testing/served-things.ts';

const bench = thingsForEach();

describe('unauthenticated access', () => {
  it.each([
    ['/redfish', { v1: '/redfish/v1/' }],
    ['/redfish/', { v1: '/redfish/v1/' }],
  ])('answers %s', async (path, body) => {
    const reply = await bench.served.ask(`GET ${path}`, undefined, {}, '');
    expect(reply).toMatchObject({ status: 200, json: body });
    expect(reply.headers.get('allow')).toBe('GET, HEAD');
  });

  it('shows the root with and without trailing slash, with the slash in its URI', async () => {
    const [bare, slashed] = await Promise.all(
      ['/redfish/v1', '/redfish/v1/'].map((path) => bench.served.ask(`GET ${path}`, undefined, {}, '')),
    );
    expect(bare?.json).toMatchObject({
      '@odata.id': '/redfish/v1/',
      '@odata.type': '#ServiceRoot.v1_20_0.ServiceRoot',
    });
    expect(slashed?.text).toBe(bare?.text);
  });

  it('lists the links of the root at odata', async () => {
    const { json } = await bench.served.ask('GET /redfish/v1/odata', undefined, {}, '');
    expect(json).toEqual({
      '@odata.context': '/redfish/v1/$metadata',
      value: [
        { name: 'Service', kind: 'Singleton', url: '/redfish/v1/' },
        { name: 'Things', kind: 'Singleton', url: '/redfish/v1/Things' },
      ],
    });
  });

  it('lists the schemas at $metadata', async () => {
    const { headers, text } = await bench.served.ask('GET /redfish/v1/$metadata', undefined, {}, '');
    expect(headers.get('content-type')).toBe('application/xml;charset=utf-8');
    expect(text).toContain('<edmx:Reference Uri="http://redfish.dmtf.org/schemas/v1/Thing_v1.xml">');
    expect(text).toContain('<edmx:Include Namespace="Thing.v1_2_0"/>');
    expect(text.match(/<edmx:Include Namespace="ThingCollection"\/>/g)).toHaveLength(1);
  });

  it('refuses writes', async () => {
    const reply = await bench.served.ask('POST /redfish', {}, {}, '');
    expect(reply).toMatchObject({ status: 405, messages: ['OperationNotAllowed'] });
    expect(reply.headers.get('allow')).toBe('GET, HEAD');
  });
});

describe('authorization', () => {
  it.each(['GET /redfish/v1/Things', 'GET /redfish/v1/None', 'POST /redfish/v1', 'GET /redfish/v1/openapi.yaml'])(
    'refuses %s without credentials',
    async (request) => {
      const reply = await bench.served.ask(request, undefined, {}, '');
      expect(reply.status).toBe(401);
      expect(reply.headers.get('www-authenticate')).toContain('Basic');
    },
  );

  it('omits WWW-Authenticate for scripts in browsers', async () => {
    const headers = { 'X-Requested-With': 'XMLHttpRequest' };
    const reply = await bench.served.ask('GET /redfish/v1/Things', undefined, headers, '');
    expect(reply.status).toBe(401);
    expect(reply.headers.has('www-authenticate')).toBe(false);
  });

  it('refuses an operation without the privilege before it checks conditions', async () => {
    const changed = await bench.served.ask(
      'PATCH /redfish/v1/Things/1',
      { Mode: 'Slow' },
      { 'If-Match': '"x"' },
      'ReadOnly',
    );
    expect(changed).toMatchObject({ status: 403, messages: ['InsufficientPrivilege'] });
    const read = await bench.served.ask('GET /redfish/v1/Things', undefined, { 'If-None-Match': '*' }, '');
    expect(read.status).toBe(401);
  });

  it('allows only the password change while it is required', async () => {
    bench.things.things.set('3', { Id: '3', Name: 'own' });
    const other = await bench.served.ask('GET /redfish/v1/Things/1', undefined, {}, 'Administrator!');
    expect(other).toMatchObject({ status: 403, messages: ['PasswordChangeRequired'] });
    expect(other.text).toContain('/redfish/v1/AccountService/Accounts/3');
    const own = await bench.served.ask('GET /redfish/v1/Things/3', undefined, {}, 'Administrator!');
    const changed = await bench.served.ask('PATCH /redfish/v1/Things/3', { Password: 'better' }, {}, 'Administrator!');
    const removed = await bench.served.ask('DELETE /redfish/v1/Things/3', undefined, {}, 'Administrator!');
    expect([own.status, changed.status, removed.status]).toEqual([200, 200, 403]);
  });

  it('allows an open POST without authentication and returns its headers', async () => {
    const reply = await bench.served.ask('POST /redfish/v1/Logins', { UserName: 'joan' }, {}, '');
    expect(reply).toMatchObject({ status: 201, messages: ['PasswordChangeRequired'] });
  });
});

describe('headers', () => {
  it('are those that DSP0266 requires', async () => {
    const { headers, text, json } = await bench.served.ask('GET /redfish/v1/Things/1/');
    expect(Object.fromEntries(headers)).toMatchObject({
      'odata-version': '4.0',
      'cache-control': 'no-store',
      'content-type': 'application/json;charset=utf-8',
      'content-length': String(Buffer.byteLength(text)),
      allow: 'GET, HEAD, PATCH, DELETE',
      link: '<http://redfish.dmtf.org/schemas/v1/Thing.v1_2_0.json>; rel=describedby',
      etag: json['@odata.etag'],
      'x-content-type-options': 'nosniff',
    });
    expect(headers.has('x-powered-by')).toBe(false);
    expect(json['@odata.id']).toBe('/redfish/v1/Things/1');
  });

  it('fit the indented body for command-line tools', async () => {
    const { headers, text, json } = await bench.served.ask('GET /redfish/v1/Things/1', undefined, {
      'User-Agent': 'curl/8.14.1',
    });
    expect(text).toBe(`${JSON.stringify(json, undefined, 2)}\n`);
    expect(headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
  });

  it('are the same for HEAD, without a body', async () => {
    const get = await bench.served.ask('GET /redfish/v1/Things/1');
    const head = await bench.served.ask('HEAD /redfish/v1/Things/1');
    const { date: _date, connection: _connection, 'keep-alive': _alive, ...headers } = Object.fromEntries(get.headers);
    expect(Object.fromEntries(head.headers)).toMatchObject(headers);
    expect(head.text).toBe('');
  });

  it('are refused with another OData version', async () => {
    const old = await bench.served.ask('GET /redfish/v1/', undefined, { 'OData-Version': '4.1' });
    expect(old).toMatchObject({ status: 412, messages: ['HeaderInvalid'] });
    const same = await bench.served.ask('GET /redfish/v1/', undefined, { 'OData-Version': '4.0' });
    expect(same.status).toBe(200);
  });
});

describe('a request target', () => {
  it.each([
    'http://bmc.example/redfish/v1/Things/1?$select=Name',
    'https://bmc.example:8443/redfish/v1/Things/1/?$select=Name',
    '/redfish/v1/Things/1?$select=Name#Name',
    '/redfish/v1/%54hing%73/%31?$select=Name',
  ])('may be written as %s', async (target) => {
    expect(await bench.served.askRaw(target)).toMatchObject({
      status: 200,
      json: { '@odata.id': '/redfish/v1/Things/1', Name: 'one' },
    });
  });

  it('with two Host headers is refused: a proxy may have used the other one', async () => {
    const two = ['Host', 'bmc', 'Host', 'other'];
    const { status, json } = await bench.served.askRaw('/redfish/v1', two);
    expect(status).toBe(400);
    expect(JSON.stringify(json)).toContain('HeaderInvalid');
  });

  it('may end with a fragment, which is ignored', async () => {
    expect((await bench.served.askRaw('/redfish/v1/#5555')).status).toBe(200);
  });
});

describe('a missing resource or method', () => {
  it.each([
    '/redfish/v1/Things/9',
    '/redfish/v1/%E0%A4',
    '/redfish/v1/Things/%E0%A4%A',
    '/',
    '/redfish/v1//',
    '/other',
  ])('answers 404 to %s', async (path) => {
    const reply = await bench.served.ask(`GET ${path}`);
    expect(reply).toMatchObject({ status: 404, messages: ['ResourceMissingAtURI'] });
  });

  it.each([
    ['PUT /redfish/v1/Things/1', 'GET, HEAD, PATCH, DELETE'],
    ['DELETE /redfish/v1/Things', 'GET, HEAD, POST'],
    ['GET /redfish/v1/Things/1/Actions/Thing.Reset', 'POST'],
    ['GET /redfish/v1/Things/Members', 'POST'],
    ['POST /redfish/v1/openapi.yaml', 'GET, HEAD'],
  ])('answers 405 to %s', async (request, allow) => {
    const reply = await bench.served.ask(request);
    expect(reply).toMatchObject({ status: 405, messages: ['OperationNotAllowed'] });
    expect(reply.headers.get('allow')).toBe(allow);
  });

  it.each(['OPTIONS', 'PROPFIND'])('answers 501 to %s', async (method) => {
    expect((await bench.served.ask(`${method} /redfish/v1/`)).status).toBe(501);
  });
});

describe('ETags', () => {
  it('change only with the resource, including properties that are not shown', async () => {
    const etags: unknown[] = [];
    for (let step = 0; step < 2; step++)
      etags.push((await bench.served.ask('GET /redfish/v1/Things/1')).headers.get('etag'));
    await bench.served.ask('PATCH /redfish/v1/Things/1', { Password: 'other' });
    const after = await bench.served.ask('GET /redfish/v1/Things/1');
    expect(etags[0]).toBe(etags[1]);
    expect(after.headers.get('etag')).not.toBe(etags[0]);
    expect(after.text).not.toContain('other');
  });

  it('yield 304 if the client has the current one', async () => {
    const etag = (await bench.served.ask('GET /redfish/v1/Things/1')).headers.get('etag') ?? '';
    const reply = await bench.served.ask('GET /redfish/v1/Things/1', undefined, { 'If-None-Match': etag });
    expect(reply).toMatchObject({ status: 304, text: '' });
    expect(reply.headers.get('etag')).toBe(etag);
    const stale = await bench.served.ask('GET /redfish/v1/Things/1', undefined, { 'If-None-Match': '"a", W/"b"' });
    expect(stale.status).toBe(200);
  });

  it('are omitted for volatile resources', async () => {
    const { headers, json } = await bench.served.ask('GET /redfish/v1/Clock', undefined, { 'If-None-Match': '*' });
    expect(headers.has('etag')).toBe(false);
    expect(json).not.toHaveProperty('@odata.etag');
  });
});

describe('queries', () => {
  it('select and expand; parameters without $ are ignored', async () => {
    const selected = await bench.served.ask('GET /redfish/v1/Things/1?$select=Name');
    expect(selected.json).toMatchObject({ Name: 'one' });
    expect(selected.json).not.toHaveProperty('Mode');
    const expanded = await bench.served.ask('GET /redfish/v1/Things?$expand=.');
    expect(expanded.json['Members']).toMatchObject([{ '@odata.type': '#Thing.v1_2_0.Thing', Name: 'one' }]);
    expect((await bench.served.ask('GET /redfish/v1/Things?foo=1')).headers.has('etag')).toBe(true);
  });

  it('refuse an unknown $ parameter', async () => {
    const reply = await bench.served.ask('GET /redfish/v1/Things?$unknown=1');
    expect(reply).toMatchObject({ status: 501, messages: ['QueryParameterUnsupported'] });
  });
});

describe('queries with other methods', () => {
  it.each([
    ['PATCH /redfish/v1/Things/1?$select=Name', 400, 'QueryNotSupportedOnOperation'],
    ['POST /redfish/v1/Things?only', 400, 'QueryNotSupportedOnOperation'],
    ['POST /redfish/v1/Things/1/Actions/Thing.Clear?$expand=.', 400, 'QueryNotSupportedOnOperation'],
    ['DELETE /redfish/v1/Things/1?$unknown=1', 501, 'QueryParameterUnsupported'],
  ])('are refused without effect: %s', async (request, status, message) => {
    const body = request.startsWith('DELETE') ? undefined : { Name: 'two', Mode: 'Slow' };
    expect(await bench.served.ask(request, body)).toMatchObject({ status, messages: [message] });
    expect(bench.things.waiting).toBe(0);
  });

  it('are ignored without $', async () => {
    expect((await bench.served.ask('PATCH /redfish/v1/Things/1?foo=1', { Mode: 'Fast' })).status).toBe(200);
  });
});

describe('failures', () => {
  it('are answered as an internal error; only the observer gets the cause', async () => {
    const reply = await bench.served.ask('GET /redfish/v1/Broken');
    expect(reply).toMatchObject({ status: 500, messages: ['InternalError'] });
    expect(reply.text).not.toContain('internal detail');
    expect(bench.served.failures).toEqual([new Error('an internal detail')]);
  });

  it('let a stream answer by itself or refuse', async () => {
    const reply = await bench.served.ask('GET /redfish/v1/Stream');
    expect(reply).toMatchObject({ status: 200, text: 'data: 1\n\n' });
    expect((await bench.served.ask('HEAD /redfish/v1/Stream')).headers.get('allow')).toBe('GET, HEAD');
    const refused = await bench.served.ask('GET /redfish/v1/Stream', undefined, { Accept: 'application/json' });
    expect(refused).toMatchObject({ status: 406, messages: ['HeaderInvalid'] });
  });
});

describe('the observer', () => {
  it('gets each answer with what was asked for, in values that a client cannot choose', async () => {
    await bench.served.ask('GET /redfish/v1/Things/1');
    await bench.served.ask('POST /redfish/v1/Things/1/Actions/Thing.Clear', {}, {}, '');
    await bench.served.ask('GET /redfish/v1/Things/1/no-such-thing-4711');
    await bench.served.ask('GET /redfish/v1/$metadata', undefined, {}, '');
    await bench.served.ask('GET /redfish/v1/Stream');
    expect(bench.served.answered).toEqual([
      'GET Thing 200',
      'Thing.Clear 401',
      'other 404',
      'document 200',
      'GET Stream 200',
    ]);
  });
});
