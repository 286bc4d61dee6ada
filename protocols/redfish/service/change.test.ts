import { describe, expect, it } from 'vitest';
import { base, RedfishError } from '../messages.ts';
import type { Route } from '../resource.ts';
import { Served, thingsForEach } from '../testing/served-things.ts';

const THINGS = '/redfish/v1/Things';
const THING = `${THINGS}/1`;

const bench = thingsForEach();

describe('PATCH', () => {
  it('applies changes and returns the resource with its ETag', async () => {
    const before = await bench.served.ask(`GET ${THING}`);
    const { status, json, headers } = await bench.served.ask(`PATCH ${THING}`, { AssetTag: 'abc', Limits: { Low: 2 } });
    expect(status).toBe(200);
    expect(json).toMatchObject({ AssetTag: 'abc', Limits: { Low: 2 }, '@odata.etag': headers.get('etag') });
    expect(headers.get('etag')).not.toBe(before.headers.get('etag'));
    expect(bench.served.published).toMatchObject([{ messageId: 'ResourceEvent.1.4.ResourceChanged', origin: THING }]);
    const after = await bench.served.ask(`GET ${THING}`);
    expect(after.headers.get('etag')).toBe(headers.get('etag'));
  });

  it('lists the writable properties, also of inner objects', async () => {
    const { json } = await bench.served.ask(`GET ${THING}`);
    expect(json).toMatchObject({
      '@Redfish.WriteableProperties': ['AssetTag', 'Mode', 'Limits'],
      Limits: { '@Redfish.WriteableProperties': ['Low', 'High'] },
    });
    expect((await bench.served.ask('GET /redfish/v1/Clock')).json).toMatchObject({
      '@Redfish.WriteableProperties': ['Time'],
    });
  });

  it('applies valid changes and reports invalid ones', async () => {
    const reply = await bench.served.ask(`PATCH ${THING}`, {
      AssetTag: null,
      Serial: 'y',
      Unknown: 1,
      Limits: { High: 20, Peak: 3, Other: 1 },
    });
    expect(reply.status).toBe(200);
    expect(reply.messages).toEqual([
      'PropertyNotWritable',
      'PropertyUnknown',
      'PropertyNotWritable',
      'PropertyUnknown',
    ]);
    expect(reply.json['Serial@Message.ExtendedInfo']).toMatchObject([{ RelatedProperties: ['#/Serial'] }]);
    expect(reply.json['Limits@Message.ExtendedInfo']).toMatchObject([
      { RelatedProperties: ['#/Limits/Peak'] },
      { RelatedProperties: ['#/Limits/Other'] },
    ]);
    expect(bench.things.things.get('1')).toMatchObject({ Serial: 'x', Limits: { High: 20 } });
  });

  it('returns the messages of the resource', async () => {
    const reply = await bench.served.ask(`PATCH ${THING}`, { Mode: 'Slow' });
    expect(reply).toMatchObject({ status: 200, messages: ['PropertyValueConflict'] });
  });

  it.each<[string, object, string]>([
    ['an unknown property', { Nonsense: 1 }, 'PropertyUnknown'],
    ['a read-only property', { Serial: 'y' }, 'PropertyNotWritable'],
    ['a number for a string', { AssetTag: 5 }, 'PropertyValueTypeError'],
    ['null for a boolean', { Enabled: null }, 'PropertyValueTypeError'],
    ['a string for a boolean', { Enabled: 'yes' }, 'PropertyValueTypeError'],
    ['a number for an enumeration', { Mode: 7 }, 'PropertyValueTypeError'],
    ['an unknown value of an enumeration', { Mode: 'Slower' }, 'PropertyValueNotInList'],
    ['a fraction', { Limits: { Low: 1.5 } }, 'PropertyValueTypeError'],
    ['a number that is too large', { Limits: { Low: 10 } }, 'PropertyValueOutOfRange'],
    ['a number that is too small', { Limits: { Low: -1 } }, 'PropertyValueOutOfRange'],
    ['a string that is too long', { AssetTag: 'abcdefghi' }, 'StringValueTooLong'],
    ['a string that is too short', { AssetTag: 'a' }, 'StringValueTooShort'],
    ['a string that does not match the pattern', { AssetTag: 'ABC' }, 'PropertyValueFormatError'],
    ['a list for an object', { Limits: [] }, 'PropertyValueTypeError'],
    ['an object for a list', { Order: {} }, 'PropertyValueTypeError'],
    ['a list that is too long', { Order: ['a', 'a', 'a', 'a'] }, 'ArraySizeTooLong'],
    ['a list with a wrong element', { Order: ['a', 'd'] }, 'PropertyValueNotInList'],
    ['an element without a required property', { Pairs: [{}] }, 'PropertyMissing'],
    ['no properties', {}, 'EmptyJSON'],
    ['only annotations', { '@odata.id': THING, '@odata.etag': '"x"', 'Order@odata.count': 3 }, 'NoOperation'],
    ['an object without properties', { Limits: {} }, 'NoOperation'],
    ['the name of a JavaScript built-in', { constructor: 1 }, 'PropertyUnknown'],
  ])('refuses %s', async (_what, body, message) => {
    const before = JSON.stringify(bench.things.things.get('1'));
    const reply = await bench.served.ask(`PATCH ${THING}`, body);
    expect(reply).toMatchObject({ status: 400, messages: [message] });
    expect(JSON.stringify(bench.things.things.get('1'))).toBe(before);
  });

  it('accepts a list, and null where it is a value', async () => {
    const reply = await bench.served.ask(`PATCH ${THING}`, {
      Order: ['b', 'a'],
      Pairs: [{ Key: 'k' }],
      AssetTag: null,
    });
    expect(reply).toMatchObject({ status: 200, json: { Order: ['b', 'a'], Pairs: [{ Key: 'k' }], AssetTag: null } });
  });

  it('does not quote a secret, and quotes only the start of a long value', async () => {
    const secret = await bench.served.ask(`PATCH ${THING}`, { Password: 'correct horse battery staple' });
    expect(secret).toMatchObject({ status: 400, messages: ['StringValueTooLong'] });
    expect(secret.text).not.toContain('correct');
    const long = await bench.served.ask(`PATCH ${THING}`, { Mode: 'x'.repeat(1000) });
    expect(long.text).not.toContain('x'.repeat(100));
  });

  it.each<[string, string, Record<string, string>, number, string]>([
    ['no body', '', {}, 400, 'UnrecognizedRequestBody'],
    ['a truncated object', '{"a":', {}, 400, 'MalformedJSON'],
    ['a list', '[]', {}, 400, 'UnrecognizedRequestBody'],
    ['null', 'null', {}, 400, 'UnrecognizedRequestBody'],
    ['50 nested lists', `{"a":${'['.repeat(50)}${']'.repeat(50)}}`, {}, 400, 'UnrecognizedRequestBody'],
    ['50,000 nested lists', `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, {}, 400, 'UnrecognizedRequestBody'],
    ['a form', 'a=1', { 'Content-Type': 'application/x-www-form-urlencoded' }, 415, 'HeaderInvalid'],
    ['another charset', '{}', { 'Content-Type': 'application/json; charset=latin1' }, 415, 'HeaderInvalid'],
    [
      'a compressed body',
      '{}',
      { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
      415,
      'HeaderInvalid',
    ],
    ['a large body', `{"a":"${'x'.repeat(200_000)}"}`, {}, 413, 'PayloadTooLarge'],
  ])('refuses %s', async (_what, body, headers, status, message) => {
    const reply = await bench.served.ask(`PATCH ${THING}`, body, headers);
    expect(reply).toMatchObject({ status, messages: [message] });
  });

  it('reports errors of the machine together with invalid properties', async () => {
    bench.things.fail('NotSupported');
    const reply = await bench.served.ask(`PATCH ${THING}`, { Mode: 'Fast', Unknown: 1 });
    expect(reply).toMatchObject({ status: 400, messages: ['PropertyValueError', 'PropertyUnknown'] });
    expect(reply.text).toContain('it is NotSupported');
  });

  it.each([
    ['Busy', 503, 'ServiceTemporarilyUnavailable'],
    ['Unavailable', 503, 'ServiceTemporarilyUnavailable'],
    ['Timeout', 503, 'ServiceTemporarilyUnavailable'],
    ['InvalidState', 409, 'ResourceInUse'],
    ['Forbidden', 503, 'OperationFailed'],
  ] as const)('answers a machine error %s with %i', async (code, status, message) => {
    bench.things.fail(code);
    const reply = await bench.served.ask(`PATCH ${THING}`, { Mode: 'Fast' });
    expect(reply).toMatchObject({ status, messages: [message] });
    expect(reply.headers.has('retry-after')).toBe(status === 503);
  });

  it('sends events with the canonical URI', async () => {
    const find: Route['find'] = (parameters) => {
      const thing = bench.things.routes.find(({ path }) => path.endsWith('{thing}'))?.find(parameters);
      return thing && { ...thing, read: async () => ({ ...(await thing.read()), '@odata.id': THING }) };
    };
    await using other = await Served.start([{ path: '/redfish/v1/Others/{thing}', find }]);
    expect((await other.ask('PATCH /redfish/v1/Others/1', { Mode: 'Fast' })).status).toBe(200);
    expect((await other.ask('DELETE /redfish/v1/Others/1')).status).toBe(204);
    expect(other.published.map(({ origin }) => origin)).toEqual([THING, THING]);
  });

  it('passes on a refusal by the resource', async () => {
    bench.things.error = new RedfishError(409, [base('ResourceInUse')]);
    expect(await bench.served.ask(`PATCH ${THING}`, { Mode: 'Fast' })).toMatchObject({
      status: 409,
      messages: ['ResourceInUse'],
    });
  });
});

describe('If-Match and If-None-Match', () => {
  it.each([
    ['the ETag', (etag: string) => etag],
    ['the ETag as a weak ETag', (etag: string) => `W/${etag}`],
    ['the ETag without quotes', (etag: string) => etag.slice(1, -1)],
    ['one of several', (etag: string) => `"a", ${etag}`],
    ['an asterisk', () => '*'],
  ])('accepts %s', async (_what, header) => {
    const etag = (await bench.served.ask(`GET ${THING}`)).headers.get('etag') ?? '';
    const reply = await bench.served.ask(`PATCH ${THING}`, { Mode: 'Slow' }, { 'If-Match': header(etag) });
    expect(reply.status).toBe(200);
  });

  it('refuses the change if the resource has changed', async () => {
    const reply = await bench.served.ask(`PATCH ${THING}`, { Mode: 'Slow' }, { 'If-Match': '"old"' });
    expect(reply).toMatchObject({ status: 412, messages: ['PreconditionFailed'] });
    expect(bench.things.things.get('1')).toMatchObject({ Mode: 'Fast' });
    const clock = await bench.served.ask('PATCH /redfish/v1/Clock', { Time: 'x' }, { 'If-Match': '"old"' });
    expect(clock.status).toBe(412);
  });

  it('accepts a change if only what clients cannot write has changed, such as the power state (MAAS)', async () => {
    const etag = (await bench.served.ask(`GET ${THING}`)).headers.get('etag') ?? '';
    const set = (change: object) => bench.things.things.set('1', { ...bench.things.things.get('1'), ...change });
    set({ Serial: 'y', Limits: { Low: 1, High: 11, Peak: 6 } });
    expect((await bench.served.ask(`GET ${THING}`, undefined, { 'If-None-Match': etag })).status).toBe(200);
    expect((await bench.served.ask(`POST ${THING}/Actions/Thing.Clear`, {}, { 'If-Match': etag })).status).toBe(412);
    expect((await bench.served.ask(`PATCH ${THING}`, { Mode: 'Slow' }, { 'If-Match': etag })).status).toBe(200);
    expect((await bench.served.ask(`PATCH ${THING}`, { Mode: 'Fast' }, { 'If-Match': etag })).status).toBe(412);
    set({ Mode: 'Fast', Limits: { Low: 2, High: 11, Peak: 5 } });
    expect((await bench.served.ask(`PATCH ${THING}`, { Mode: 'Slow' }, { 'If-Match': etag })).status).toBe(412);
  });

  it.each([
    ['an action with an outdated ETag', `POST ${THING}/Actions/Thing.Clear`, { 'If-Match': '"old"' }],
    ['an action if the resource exists', `POST ${THING}/Actions/Thing.Clear`, { 'If-None-Match': '*' }],
    ['a POST if the collection exists', `POST ${THINGS}`, { 'If-None-Match': '*' }],
    ['a change if the resource exists', `PATCH ${THING}`, { 'If-None-Match': '*' }],
    ['a removal if the resource exists', `DELETE ${THING}`, { 'If-None-Match': '*' }],
  ])('refuses %s', async (_what, request, headers) => {
    const reply = await bench.served.ask(request, request.startsWith('DELETE') ? undefined : {}, headers);
    expect(reply).toMatchObject({ status: 412, messages: ['PreconditionFailed'] });
    expect(bench.things.waiting).toBe(0);
  });

  it('accepts an action with the current ETag, and a change if the client has another version', async () => {
    const etag = (await bench.served.ask(`GET ${THING}`)).headers.get('etag') ?? '';
    const clear = `POST ${THING}/Actions/Thing.Clear`;
    expect((await bench.served.ask(clear, undefined, { 'If-Match': etag })).status).toBe(204);
    const body = { Mode: 'Slow' };
    expect((await bench.served.ask(`PATCH ${THING}`, body, { 'If-None-Match': '"old"' })).status).toBe(200);
  });

  it('answers 404 after a concurrent removal', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    bench.things.gate = promise;
    const removed = bench.served.ask(`DELETE ${THING}`);
    await expect.poll(() => bench.things.waiting).toBe(1);
    const late = Promise.all([
      bench.served.ask(`PATCH ${THING}`, { Mode: 'Slow' }),
      bench.served.ask(`DELETE ${THING}`),
    ]);
    await expect.poll(() => bench.served.asked).toBe(3);
    resolve(undefined);
    expect((await removed).status).toBe(204);
    expect((await late).map(({ status }) => status)).toEqual([404, 404]);
  });
});

describe('POST to a collection', () => {
  it.each([THINGS, `${THINGS}/`, `${THINGS}/Members`])('creates a member by %s', async (uri) => {
    const reply = await bench.served.ask(`POST ${uri}`, { '@odata.type': '#Thing.v1_2_0.Thing', Name: 'two' });
    expect(reply).toMatchObject({ status: 201, json: { '@odata.id': `${THINGS}/2`, Name: 'two' } });
    expect(reply.headers.get('location')).toBe(`${THINGS}/2`);
    expect(reply.headers.get('x-made')).toBe('2');
    expect(reply.headers.get('etag')).toBe(reply.json['@odata.etag']);
    expect(bench.served.published).toMatchObject([
      { messageId: 'ResourceEvent.1.4.ResourceCreated', origin: `${THINGS}/2` },
    ]);
  });

  it('reports all missing and invalid properties at once', async () => {
    const reply = await bench.served.ask(`POST ${THINGS}`, {
      Mode: 'Slower',
      Unknown: 1,
      Limits: { Low: -1, High: 20 },
    });
    expect(reply.status).toBe(400);
    expect(reply.messages).toEqual([
      'PropertyValueNotInList',
      'PropertyUnknown',
      'PropertyValueOutOfRange',
      'CreateFailedMissingReqProperties',
    ]);
    expect(reply.json['error']).toMatchObject({ code: 'Base.1.19.GeneralError' });
    expect(bench.things.things.size).toBe(1);
  });

  it('refuses an empty request', async () => {
    const reply = await bench.served.ask(`POST ${THINGS}`);
    expect(reply).toMatchObject({ status: 400, messages: ['UnrecognizedRequestBody'] });
  });

  it('reports errors of the machine', async () => {
    bench.things.fail('InvalidState');
    expect(await bench.served.ask(`POST ${THINGS}`, { Name: 'two' })).toMatchObject({ status: 409 });
    bench.things.error = new Error('a bug');
    expect(await bench.served.ask(`POST ${THINGS}`, { Name: 'two' })).toMatchObject({ status: 500 });
  });
});

describe('DELETE', () => {
  it('removes the member', async () => {
    const reply = await bench.served.ask(`DELETE ${THING}`);
    expect(reply).toMatchObject({ status: 204, text: '' });
    expect(reply.headers.has('content-length')).toBe(false);
    expect((await bench.served.ask(`GET ${THING}`)).status).toBe(404);
    expect(bench.served.published).toMatchObject([{ messageId: 'ResourceEvent.1.4.ResourceRemoved', origin: THING }]);
  });

  it('honours If-Match', async () => {
    expect((await bench.served.ask(`DELETE ${THING}`, undefined, { 'If-Match': '"old"' })).status).toBe(412);
    expect((await bench.served.ask(`DELETE ${THING}`, undefined, { 'If-Match': '*' })).status).toBe(204);
  });

  it('reports errors of the machine', async () => {
    bench.things.fail('NotSupported');
    const reply = await bench.served.ask(`DELETE ${THING}`);
    expect(reply).toMatchObject({ status: 400, messages: ['ResourceCannotBeDeleted'] });
    bench.things.error = new Error('a bug');
    expect((await bench.served.ask(`DELETE ${THING}`)).status).toBe(500);
  });
});

describe('actions', () => {
  it('are listed with their targets and allowable values', async () => {
    const { json } = await bench.served.ask(`GET ${THING}`);
    expect(json['Actions']).toMatchObject({
      '#Thing.Reset': {
        target: `${THING}/Actions/Thing.Reset`,
        '@Redfish.ActionInfo': `${THING}/ResetActionInfo`,
        'ResetType@Redfish.AllowableValues': ['On', 'Off'],
      },
      '#Thing.Import': { 'Words@Redfish.AllowableValues': ['x'] },
    });
    expect(json).not.toHaveProperty(['Actions', '#Thing.Clear', '@Redfish.ActionInfo']);
  });

  it('have an ActionInfo each', async () => {
    const { json, headers } = await bench.served.ask(`GET ${THING}/ImportActionInfo`);
    expect(headers.get('allow')).toBe('GET, HEAD');
    expect(json).toMatchObject({
      '@odata.id': `${THING}/ImportActionInfo`,
      '@odata.type': '#ActionInfo.v1_5_0.ActionInfo',
      Parameters: [
        { Name: 'Image', Required: false, DataType: 'String' },
        { Name: 'Times', Required: false, DataType: 'Number', MinimumValue: 1, MaximumValue: 3 },
        { Name: 'Words', DataType: 'StringArray', AllowableValues: ['x'], ArraySizeMaximum: 2 },
        { Name: 'Deep', DataType: 'ObjectArray' },
        { Name: 'Password', DataType: 'String' },
      ],
    });
    expect((await bench.served.ask(`GET ${THINGS}/%31/ImportActionInfo`)).json).toEqual(json);
    expect((await bench.served.ask(`GET ${THING}/ClearActionInfo`)).status).toBe(404);
    expect((await bench.served.ask(`GET ${THINGS}/ResetActionInfo`)).status).toBe(404);
  });

  it.each<[string, string | object | undefined, Record<string, string>]>([
    ['no body', undefined, {}],
    ['an empty object', {}, {}],
    ['the outdated ETag of gofish', {}, { 'If-Match': '"old"', 'User-Agent': 'gofish/1.0' }],
  ])('accept %s if no parameter is required', async (_what, body, headers) => {
    const reply = await bench.served.ask(`POST ${THING}/Actions/Thing.Clear`, body, headers);
    expect(reply).toMatchObject({ status: 204, text: '' });
    expect(bench.things.ran).toEqual([['Thing.Clear', {}]]);
  });

  it('answer with messages or a task', async () => {
    const said = await bench.served.ask(`POST ${THING}/Actions/Thing.Reset`, { ResetType: 'Off' });
    expect(said).toMatchObject({ status: 200, json: { Done: true } });
    const told = await bench.served.ask(`POST ${THING}/Actions/Thing.Import`, { Image: 'known' });
    const info = [{ MessageId: 'Base.1.19.NoOperation' }];
    const error = { code: 'Base.1.19.Success', '@Message.ExtendedInfo': info };
    expect(told).toMatchObject({ status: 200, json: { error } });
    const task = await bench.served.ask(`POST ${THING}/Actions/Thing.Import`, { Image: 'near' });
    expect(task).toMatchObject({ status: 202, json: { '@odata.id': '/redfish/v1/Clock' } });
    expect(task.headers.get('location')).toBe('/redfish/v1/Clock');
    const unseen = await bench.served.ask(`POST ${THING}/Actions/Thing.Import`, { Image: 'far' });
    expect(unseen).toMatchObject({ status: 202, text: '' });
    expect(unseen.headers.get('content-length')).toBe('0');
  });

  it.each<[string, object | undefined, string[]]>([
    ['Thing.Reset', undefined, ['ActionParameterMissing']],
    ['Thing.Reset', { ResetType: 'Nmi' }, ['ActionParameterValueNotInList']],
    ['Thing.Reset', { ResetType: 1 }, ['ActionParameterValueTypeError']],
    ['Thing.Import', { Times: 9 }, ['ActionParameterValueFormatError']],
    ['Thing.Import', { Kind: 'x' }, ['ActionParameterUnknown']],
    ['Thing.Import', { Password: ['hunter2'] }, ['ActionParameterValueTypeError']],
  ])('%s refuses %o', async (action, body, messages) => {
    const reply = await bench.served.ask(`POST ${THING}/Actions/${action}`, body);
    expect(reply).toMatchObject({ status: 400, messages });
    expect(reply.text).not.toContain('hunter2');
    expect(bench.things.ran).toEqual([]);
  });

  it('name the invalid parameter', async () => {
    const { json } = await bench.served.ask(`POST ${THING}/Actions/Thing.Reset`, {});
    expect(json['error']).toMatchObject({
      code: 'Base.1.19.ActionParameterMissing',
      message: 'The action Thing.Reset requires the parameter ResetType to be present in the request body.',
      '@Message.ExtendedInfo': [
        { '@odata.type': '#Message.v1_3_0.Message', RelatedProperties: ['#/ResetType'], MessageSeverity: 'Critical' },
      ],
    });
  });

  it('answer 404 if unknown', async () => {
    const unknown = await bench.served.ask(`POST ${THING}/Actions/Thing.Explode`);
    expect(unknown).toMatchObject({ status: 404, messages: ['ActionNotSupported'] });
    expect((await bench.served.ask(`POST ${THINGS}/Actions/Thing.Reset`)).status).toBe(404);
    expect((await bench.served.ask(`POST ${THINGS}/9/Actions/Thing.Reset`)).status).toBe(404);
    expect((await bench.served.ask(`POST ${THING}/Actions/Thing.Reset/Actions/Thing.Explode`)).status).toBe(404);
  });

  it('need authentication before unknown ones are distinguished', async () => {
    for (const action of ['Thing.Explode', 'Thing.Reset']) {
      const reply = await bench.served.ask(`POST ${THING}/Actions/${action}`, {}, {}, '');
      expect(reply).toMatchObject({ status: 401, messages: ['NoValidSession'] });
    }
  });

  it('report errors of the machine', async () => {
    bench.things.fail('NotSupported');
    const reply = await bench.served.ask(`POST ${THING}/Actions/Thing.Clear`);
    expect(reply).toMatchObject({ status: 400, messages: ['ActionNotSupported'] });
    bench.things.error = new Error('a bug');
    expect((await bench.served.ask(`POST ${THING}/Actions/Thing.Clear`)).status).toBe(500);
  });
});
