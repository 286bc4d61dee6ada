import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../json.ts';
import { jsonSchema } from './open-api.ts';
import { valueSchema } from './payload-schema.ts';
import { Served } from '../testing/served-things.ts';
import { Things } from '../testing/things.ts';

let served: Served;
let things: Things;

async function description(): Promise<{
  paths: Record<string, JsonObject>;
  components: Record<'responses' | 'schemas', Record<string, JsonObject>>;
}> {
  const { text } = await served.ask('GET /redfish/v1/openapi.yaml');
  // The assertions check what it contains.
  return JSON.parse(text) as Awaited<ReturnType<typeof description>>;
}

beforeEach(async () => {
  things = new Things();
  served = await Served.start([
    ...things.routes,
    { path: '/redfish/v1/Things/{thing}/Parts/{part}', find: () => undefined },
    { path: '/redfish/v1/Things/{thing}/Status', find: () => undefined },
    { path: '/redfish/v1/Broken/{part}', find: () => undefined },
  ]);
});

afterEach(async () => {
  await served[Symbol.asyncDispose]();
});

describe('the OpenAPI description', () => {
  it('has each path with its operations and bodies', async () => {
    const { status, text, headers } = await served.ask('GET /redfish/v1/openapi.yaml');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/yaml;charset=utf-8');
    const { openapi, paths } = JSON.parse(text) as { openapi: string; paths: Record<string, JsonObject> };
    expect(openapi).toBe('3.1.0');
    expect(Object.keys(paths['/redfish/v1/Things'] ?? {})).toEqual(['parameters', 'get', 'head', 'post']);
    expect(Object.keys(paths['/redfish/v1/Things/{thing}'] ?? {})).toEqual([
      ...['parameters', 'get', 'head', 'patch', 'delete'],
    ]);
    expect(paths['/redfish/v1/Things/{thing}']).toMatchObject({
      parameters: [{ name: 'thing', in: 'path', required: true, schema: { type: 'string', examples: ['1'] } }],
    });
    expect(paths['/redfish/v1/Things/{thing}/Actions/Thing.Reset']).toHaveProperty('post.requestBody');
    expect(paths['/redfish/v1/Things/{thing}/ResetActionInfo']).toHaveProperty('get');
    expect(Object.keys(paths['/redfish/v1/Things/{thing}/Parts/{part}'] ?? {})).toEqual(['parameters', 'get']);
    expect(paths).toHaveProperty(['/redfish/v1/Broken/{part}', 'get']);
  });

  it('has the schema of each response, and of errors', async () => {
    const { components, paths } = await description();
    const contentOf = (component: string) => ({
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${component}` } } },
    });
    expect(paths['/redfish/v1/Things/{thing}']).toMatchObject({
      get: { responses: { 200: contentOf('Thing_v1_2_0_Thing'), '4XX': { $ref: '#/components/responses/refused' } } },
      patch: { responses: { 200: contentOf('Thing_v1_2_0_Thing') } },
      delete: { responses: { 204: { $ref: '#/components/responses/done' } } },
    });
    expect(components.responses).toMatchObject({ refused: contentOf('RedfishError') });
    expect(components.schemas['Thing_v1_2_0_Thing']).toMatchObject({
      type: 'object',
      required: ['@odata.id', '@odata.type', 'Id', 'Name'],
      properties: {
        Name: { type: ['string', 'null'] },
        AssetTag: {},
        Limits: { type: ['object', 'null'], properties: { Low: { type: ['number', 'null'] } } },
      },
      externalDocs: { url: 'http://redfish.dmtf.org/schemas/v1/Thing.v1_2_0.json' },
    });
  });

  it('says that the root and log-in need no authentication', async () => {
    const { paths } = await description();
    expect(paths['/redfish/v1']).toMatchObject({ get: { security: [] }, head: { security: [] } });
    expect(paths['/redfish/v1/Logins']).toMatchObject({ post: { security: [] } });
    expect(paths['/redfish/v1/Logins']).not.toHaveProperty('get.security');
    expect(paths['/redfish/v1/Things']).not.toHaveProperty('post.security');
  });

  it('has one example for each collection: a log with 500 entries was repeated in each of its paths', async () => {
    things.things.set('2', { Id: '2', Name: 'two' });
    expect((await description()).paths['/redfish/v1/Things/{thing}/ResetActionInfo']).toMatchObject({
      parameters: [{ name: 'thing', schema: { examples: ['1'] } }],
    });
  });
});

describe('access to the OpenAPI description', () => {
  it.each([
    ['refused without a log-in', '', 401, 'NoValidSession'],
    ['refused before a required password change', 'Administrator!', 403, 'PasswordChangeRequired'],
    ['allowed for all other users', 'ReadOnly', 200, undefined],
  ])('is %s', async (_who, as, status, message) => {
    const reply = await served.ask('GET /redfish/v1/openapi.yaml', undefined, {}, as);
    expect([reply.status, reply.messages[0]]).toEqual([status, message]);
  });
});

describe('jsonSchema', () => {
  it('converts all rules', () => {
    const schema = jsonSchema(
      {
        kind: 'object',
        isOpen: true,
        properties: {
          Name: { kind: 'text', maxLength: 9, minLength: 1, pattern: /^a/, isRequired: true },
          Tag: { kind: 'text', maxLength: 5, isNullable: true },
          Size: { kind: 'number', least: 1, most: 2 },
          List: { kind: 'list', maxItems: 2, items: { kind: 'flag' } },
          Word: { kind: 'word', words: ['a'] },
        },
      },
      true,
    );
    expect(schema).toEqual({
      type: 'object',
      additionalProperties: true,
      required: ['Name'],
      properties: {
        Name: { type: 'string', maxLength: 9, minLength: 1, pattern: '^a' },
        Tag: { anyOf: [{ type: 'string', maxLength: 5 }, { type: 'null' }] },
        Size: { type: 'integer', minimum: 1, maximum: 2 },
        List: { type: 'array', maxItems: 2, items: { type: 'boolean' } },
        Word: { type: 'string', enum: ['a'] },
      },
    });
  });
});

describe('the schema of values', () => {
  it.each<[string, Parameters<typeof valueSchema>[0], JsonObject]>([
    ['has their type, or null', ['a', null], { type: ['string', 'null'] }],
    ['is open if all are null', [null], {}],
    ['is open if they differ in type', ['a', 1], {}],
    ['joins the elements of lists', [[], [1]], { type: ['array', 'null'], items: { type: ['number', 'null'] } }],
    [
      'joins the properties of objects',
      [{ A: true }, { A: null, B: {} }],
      {
        type: ['object', 'null'],
        properties: { A: { type: ['boolean', 'null'] }, B: { type: ['object', 'null'], properties: {} } },
      },
    ],
    [
      'does not list the names of a dictionary',
      [Object.fromEntries(Array.from({ length: 81 }, (_none, index) => [`n${index}`, 1]))],
      { type: ['object', 'null'] },
    ],
  ])('%s', (_what, values, schema) => {
    expect(valueSchema(values)).toEqual(schema);
  });
});
