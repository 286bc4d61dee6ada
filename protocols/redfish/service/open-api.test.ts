import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../json.ts';
import { jsonSchema } from './open-api.ts';
import { Served } from '../testing/served-things.ts';
import { Things } from '../testing/things.ts';

let served: Served;

beforeEach(async () => {
  const things = new Things();
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
