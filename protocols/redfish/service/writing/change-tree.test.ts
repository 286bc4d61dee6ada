import { describe, expect, it } from 'vitest';
import { thingsForEach } from '../testing/things-for-each.ts';

const THINGS = '/redfish/v1/Things';
const THING = `${THINGS}/1`;

const bench = thingsForEach();

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
    bench.things.error = new Error('ours');
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
    bench.things.error = new Error('ours');
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
    ['an ETag of another day', {}, { 'If-Match': '"old"' }],
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
    bench.things.error = new Error('ours');
    expect((await bench.served.ask(`POST ${THING}/Actions/Thing.Clear`)).status).toBe(500);
  });
});
