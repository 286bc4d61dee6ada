import { describe, expect, it } from 'vitest';
import type { Json } from '../json.ts';
import type { Schema } from './schema.ts';
import { Correlation } from './correlation.ts';
import { duplicateItems } from './list-types.ts';
import { validate } from './validate.ts';

/** Of a field `spec.x` of an object. */
const within = (schema: Schema): Schema => ({
  type: 'object',
  properties: { spec: { type: 'object', properties: { x: schema } } },
});
const messages = (value: Json, schema: Schema) => {
  const [object, root] = [{ spec: { x: value } }, within(schema)];
  return [...validate(object, root), ...duplicateItems(object, root)].map(
    ({ field, message }) => `${field}: ${message}`,
  );
};

describe('validation says in kube-apiserver’s words', () => {
  it.each<[string, Json, Schema, string]>([
    [
      'a wrong type',
      5,
      { type: 'string' },
      'spec.x: Invalid value: "integer": spec.x in body must be of type string: "integer"',
    ],
    [
      'a fraction',
      1.5,
      { type: 'integer' },
      'spec.x: Invalid value: "number": spec.x in body must be of type integer: "number"',
    ],
    ['null', null, { type: 'string' }, 'spec.x: Invalid value: "null": spec.x in body must be of type string: "null"'],
    [
      'int-or-string',
      true,
      { 'x-kubernetes-int-or-string': true },
      'spec.x: Invalid value: "boolean": spec.x in body must be of type integer,string: "boolean"',
    ],
    ['a missing field', {}, { type: 'object', required: ['a'] }, 'spec.x.a: Required value'],
    [
      'an unknown choice',
      'c',
      { type: 'string', enum: ['a', 'b'] },
      'spec.x: Unsupported value: "c": supported values: "a", "b"',
    ],
    [
      'a short string',
      '',
      { type: 'string', minLength: 1 },
      'spec.x: Invalid value: "": spec.x in body should be at least 1 chars long',
    ],
    ['a long string', 'abc', { type: 'string', maxLength: 2 }, 'spec.x: Too long: may not be more than 2 bytes'],
    [
      'a pattern',
      'A',
      { type: 'string', pattern: '^[a-z]$' },
      `spec.x: Invalid value: "A": spec.x in body should match '^[a-z]$'`,
    ],
    [
      'a format',
      '1.2.3',
      { type: 'string', format: 'ipv4' },
      'spec.x: Invalid value: "1.2.3": spec.x in body must be of type ipv4: "1.2.3"',
    ],
    [
      'too little',
      0,
      { type: 'integer', minimum: 1 },
      'spec.x: Invalid value: 0: spec.x in body should be greater than or equal to 1',
    ],
    [
      'too much',
      2,
      { type: 'integer', maximum: 1 },
      'spec.x: Invalid value: 2: spec.x in body should be less than or equal to 1',
    ],
    [
      'an exclusive bound',
      1,
      { type: 'number', minimum: 1, exclusiveMinimum: true },
      'spec.x: Invalid value: 1: spec.x in body should be greater than 1',
    ],
    [
      'a multiple',
      1.3,
      { type: 'number', multipleOf: 0.5 },
      'spec.x: Invalid value: 1.3: spec.x in body should be a multiple of 0.5',
    ],
    [
      'too few items',
      [],
      { type: 'array', minItems: 1 },
      'spec.x: Invalid value: 0: spec.x in body should have at least 1 items',
    ],
    ['too many items', [1, 2], { type: 'array', maxItems: 1 }, 'spec.x: Too many: 2: must have at most 1 item'],
    [
      'an item',
      ['a', 1],
      { type: 'array', items: { type: 'string' } },
      'spec.x[1]: Invalid value: "integer": spec.x[1] in body must be of type string: "integer"',
    ],
    ['a set', ['a', 'a'], { type: 'array', 'x-kubernetes-list-type': 'set' }, 'spec.x[1]: Duplicate value: "a"'],
    [
      'a map',
      [{ n: 1 }, { n: 1, v: 2 }],
      { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['n'] },
      'spec.x[1]: Duplicate value: {"n":1}',
    ],
    [
      'too many properties',
      { a: 1, b: 2 },
      { type: 'object', maxProperties: 1 },
      'spec.x: Too many: 2: must have at most 1 item',
    ],
    [
      'a value of a free map',
      { a: 'b' },
      { type: 'object', additionalProperties: { type: 'integer' } },
      'spec.x.a: Invalid value: "string": spec.x.a in body must be of type integer: "string"',
    ],
    [
      'not',
      { a: 1 },
      { type: 'object', not: { required: ['a'] } },
      '<nil>: Invalid value: "": "spec.x" must not validate the schema (not)',
    ],
    [
      'oneOf twice',
      { a: 1, b: 1 },
      { type: 'object', oneOf: [{ required: ['a'] }, { required: ['b'] }] },
      '<nil>: Invalid value: "": "spec.x" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ],
    [
      'more than 64 bits',
      1e20,
      { type: 'integer' },
      'spec.x: Invalid value: "number": spec.x in body must be of type integer: "number"',
    ],
  ])('%s', (_what, value, schema, message) => {
    expect(messages(value, schema)).toEqual([message]);
  });

  it.each<[Json, Schema]>([
    [null, { type: 'string', nullable: true }],
    ['1', { 'x-kubernetes-int-or-string': true }],
    [3, { type: 'number' }],
    ['😀', { type: 'string', maxLength: 1 }],
    ['2026-01-01T00:00:00Z', { type: 'string', format: 'date-time' }],
    ['whatever', { type: 'string', format: 'of-my-own' }],
    [{ a: 1 }, { type: 'object', anyOf: [{ required: ['a'] }, { required: ['b'] }] }],
  ])('nothing against %j by %j', (value, schema) => {
    expect(messages(value, schema)).toEqual([]);
  });
});

describe('alternatives', () => {
  it('of which none matches, their own errors are not listed', () => {
    const schema: Schema = {
      type: 'object',
      anyOf: [{ required: ['a'] }, { properties: { b: { maximum: 1 } }, required: ['b'] }],
      properties: { b: { type: 'integer' } },
    };
    expect(messages({ b: 2 }, schema)).toEqual([
      '<nil>: Invalid value: "": "spec.x" must validate at least one schema (anyOf)',
    ]);
  });

  it('that must all match, all errors are listed', () => {
    const schema: Schema = { type: 'string', allOf: [{ minLength: 2 }, { pattern: '^b' }] };
    expect(messages('a', schema)).toEqual([
      'spec.x: Invalid value: "a": spec.x in body should be at least 2 chars long',
      'spec.x: Invalid value: "a": spec.x in body should match \'^b\'',
      '<nil>: Invalid value: "": "spec.x" must validate all the schemas (allOf). None validated',
    ]);
  });
});

describe('what was invalid before', () => {
  const schema: Schema = {
    type: 'object',
    properties: {
      a: { type: 'integer', maximum: 1 },
      b: { type: 'string' },
      list: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: { type: 'object', properties: { k: { type: 'string' }, v: { type: 'integer', maximum: 1 } } },
      },
    },
  };
  const fields = (value: Json, before: Json) =>
    validate(value, schema, { correlation: new Correlation(value, before, schema) }).map(({ field }) => field);

  it('may stay', () => {
    expect(fields({ a: 5, b: 'y' }, { a: 5, b: 'x' })).toEqual([]);
    expect(fields({ a: 6 }, { a: 5 })).toEqual(['a']);
    expect(
      fields(
        {
          list: [
            { k: 'y', v: 1 },
            { k: 'x', v: 9 },
          ],
        },
        { list: [{ k: 'x', v: 9 }] },
      ),
    ).toEqual([]);
    expect(fields({ list: [{ k: 'y', v: 9 }] }, { list: [{ k: 'x', v: 9 }] })).toEqual(['list[0].v']);
  });
});
