import { describe, expect, it } from 'vitest';
import { base, RedfishError } from '../../messages/index.ts';
import type { Route } from '../../resource.ts';
import { Served } from '../testing/serve.ts';
import { thingsForEach } from '../testing/things-for-each.ts';

const THING = '/redfish/v1/Things/1';

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
    ['a property that is read only', { Serial: 'y' }, 'PropertyNotWritable'],
    ['a number for a text', { AssetTag: 5 }, 'PropertyValueTypeError'],
    ['null for a flag', { Enabled: null }, 'PropertyValueTypeError'],
    ['a text for a flag', { Enabled: 'yes' }, 'PropertyValueTypeError'],
    ['a number for a word', { Mode: 7 }, 'PropertyValueTypeError'],
    ['an unknown word', { Mode: 'Slower' }, 'PropertyValueNotInList'],
    ['half a number', { Limits: { Low: 1.5 } }, 'PropertyValueTypeError'],
    ['a number that is too large', { Limits: { Low: 10 } }, 'PropertyValueOutOfRange'],
    ['a number that is too small', { Limits: { Low: -1 } }, 'PropertyValueOutOfRange'],
    ['a text that is too long', { AssetTag: 'abcdefghi' }, 'StringValueTooLong'],
    ['a text that is too short', { AssetTag: 'a' }, 'StringValueTooShort'],
    ['a text of another pattern', { AssetTag: 'ABC' }, 'PropertyValueFormatError'],
    ['a list for an object', { Limits: [] }, 'PropertyValueTypeError'],
    ['an object for a list', { Order: {} }, 'PropertyValueTypeError'],
    ['a list that is too long', { Order: ['a', 'a', 'a', 'a'] }, 'ArraySizeTooLong'],
    ['a list with a wrong element', { Order: ['a', 'd'] }, 'PropertyValueNotInList'],
    ['an element that lacks something', { Pairs: [{}] }, 'PropertyMissing'],
    ['no properties', {}, 'EmptyJSON'],
    ['annotations alone', { '@odata.id': THING, '@odata.etag': '"x"', 'Order@odata.count': 3 }, 'NoOperation'],
    ['an object without properties', { Limits: {} }, 'NoOperation'],
    ['a property of every object', { constructor: 1 }, 'PropertyUnknown'],
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

  it('quotes no secret, and only the start of a long value', async () => {
    const secret = await bench.served.ask(`PATCH ${THING}`, { Password: 'correct horse battery staple' });
    expect(secret).toMatchObject({ status: 400, messages: ['StringValueTooLong'] });
    expect(secret.text).not.toContain('correct');
    const long = await bench.served.ask(`PATCH ${THING}`, { Mode: 'x'.repeat(1000) });
    expect(long.text).not.toContain('x'.repeat(100));
  });

  it.each<[string, string, Record<string, string>, number, string]>([
    ['no body', '', {}, 400, 'UnrecognizedRequestBody'],
    ['half an object', '{"a":', {}, 400, 'MalformedJSON'],
    ['a list', '[]', {}, 400, 'UnrecognizedRequestBody'],
    ['null', 'null', {}, 400, 'UnrecognizedRequestBody'],
    ['what is nested too deeply', `{"a":${'['.repeat(50)}${']'.repeat(50)}}`, {}, 400, 'UnrecognizedRequestBody'],
    [
      'what is nested very deeply',
      `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
      {},
      400,
      'UnrecognizedRequestBody',
    ],
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

  it('passes a refusal on', async () => {
    bench.things.error = new RedfishError(409, [base('ResourceInUse')]);
    expect(await bench.served.ask(`PATCH ${THING}`, { Mode: 'Fast' })).toMatchObject({
      status: 409,
      messages: ['ResourceInUse'],
    });
  });
});

describe('If-Match', () => {
  it.each([
    ['the ETag', (etag: string) => etag],
    ['the ETag as a weak one', (etag: string) => `W/${etag}`],
    ['the ETag without quotes', (etag: string) => etag.slice(1, -1)],
    ['one of several', (etag: string) => `"a", ${etag}`],
    ['a star', () => '*'],
  ])('is honoured with %s', async (_what, header) => {
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

  it('lets one of four parallel changes win', async () => {
    const etag = (await bench.served.ask(`GET ${THING}`)).headers.get('etag') ?? '';
    const { promise, resolve } = Promise.withResolvers<undefined>();
    bench.things.gate = promise;
    const asked = ['aa', 'bb', 'cc', 'dd'].map((AssetTag) =>
      bench.served.ask(`PATCH ${THING}`, { AssetTag }, { 'If-Match': etag }),
    );
    resolve(undefined);
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 412, 412, 412]);
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
