import { describe, expect, it } from 'vitest';
import type { Json } from '../json.ts';
import type { Schema } from './schema.ts';
import { duplicateItems } from './list-types.ts';
import { validate } from './validate.ts';

/** The schema of an object with the field `spec.x`. */
const within = (schema: Schema): Schema => ({
  type: 'object',
  properties: { spec: { type: 'object', properties: { x: schema } } },
});
const errors = (value: Json, schema: Schema) => {
  const [object, root] = [{ spec: { x: value } }, within(schema)];
  return [...validate(object, root), ...duplicateItems(object, root)];
};
const messages = (value: Json, schema: Schema) =>
  errors(value, schema).map(({ field, message }) => `${field}: ${message}`);
const integer: Schema = { type: 'integer' };
const keyed: Schema = { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['n'] };
const either: Schema[] = [{ required: ['a'] }, { required: ['b'] }];

describe('validation', () => {
  it.each<[string, Json, Schema, string]>([
    ['a wrong type', 5, { type: 'string' }, 'FieldValueTypeInvalid spec.x'],
    ['a fraction', 1.5, { type: 'integer' }, 'FieldValueTypeInvalid spec.x'],
    ['more than 64 bits', 1e20, { type: 'integer' }, 'FieldValueTypeInvalid spec.x'],
    ['null', null, { type: 'string' }, 'FieldValueTypeInvalid spec.x'],
    ['int-or-string', true, { 'x-kubernetes-int-or-string': true }, 'FieldValueTypeInvalid spec.x'],
    ['a missing field', {}, { type: 'object', required: ['a'] }, 'FieldValueRequired spec.x.a'],
    ['an unknown choice', 'c', { type: 'string', enum: ['a', 'b'] }, 'FieldValueNotSupported spec.x'],
    ['a short string', '', { type: 'string', minLength: 1 }, 'FieldValueInvalid spec.x'],
    ['a long string', 'abc', { type: 'string', maxLength: 2 }, 'FieldValueTooLong spec.x'],
    ['a pattern', 'A', { type: 'string', pattern: '^[a-z]$' }, 'FieldValueInvalid spec.x'],
    ['a format', '1.2.3', { type: 'string', format: 'ipv4' }, 'FieldValueTypeInvalid spec.x'],
    ['a minimum', 0, { type: 'integer', minimum: 1 }, 'FieldValueInvalid spec.x'],
    ['a maximum', 2, { type: 'integer', maximum: 1 }, 'FieldValueInvalid spec.x'],
    ['a bound', 1, { type: 'number', minimum: 1, exclusiveMinimum: true }, 'FieldValueInvalid spec.x'],
    ['a multiple', 1.3, { type: 'number', multipleOf: 0.5 }, 'FieldValueInvalid spec.x'],
    ['too few items', [], { type: 'array', minItems: 1 }, 'FieldValueInvalid spec.x'],
    ['too many items', [1, 2], { type: 'array', maxItems: 1 }, 'FieldValueTooMany spec.x'],
    ['an item', ['a', 1], { type: 'array', items: { type: 'string' } }, 'FieldValueTypeInvalid spec.x[1]'],
    ['a set', ['a', 'a'], { type: 'array', 'x-kubernetes-list-type': 'set' }, 'FieldValueDuplicate spec.x[1]'],
    ['a map', [{ n: 1 }, { n: 1, v: 2 }], keyed, 'FieldValueDuplicate spec.x[1]'],
    ['many properties', { a: 1, b: 2 }, { type: 'object', maxProperties: 1 }, 'FieldValueTooMany spec.x'],
    ['a free map', { a: 'b' }, { type: 'object', additionalProperties: integer }, 'FieldValueTypeInvalid spec.x.a'],
    ['not', { a: 1 }, { type: 'object', not: { required: ['a'] } }, 'FieldValueInvalid <nil>'],
    ['oneOf twice', { a: 1, b: 1 }, { type: 'object', oneOf: either }, 'FieldValueInvalid <nil>'],
  ])('refuses %s', (_what, value, schema, error) => {
    expect(errors(value, schema).map(({ reason, field }) => `${reason} ${field}`)).toEqual([error]);
  });

  it.each<[Json, Schema]>([
    [null, { type: 'string', nullable: true }],
    ['1', { 'x-kubernetes-int-or-string': true }],
    [3, { type: 'number' }],
    ['😀', { type: 'string', maxLength: 1 }],
    ['2026-01-01T00:00:00Z', { type: 'string', format: 'date-time' }],
    ['anything', { type: 'string', format: 'unknown-format' }],
    [{ a: 1 }, { type: 'object', anyOf: [{ required: ['a'] }, { required: ['b'] }] }],
  ])('accepts %j by %j', (value, schema) => {
    expect(messages(value, schema)).toEqual([]);
  });
});

describe('the errors of alternatives', () => {
  it('are not listed for anyOf', () => {
    const schema: Schema = {
      type: 'object',
      anyOf: [{ required: ['a'] }, { properties: { b: { maximum: 1 } }, required: ['b'] }],
      properties: { b: { type: 'integer' } },
    };
    expect(messages({ b: 2 }, schema)).toEqual([
      '<nil>: Invalid value: "": "spec.x" must validate at least one schema (anyOf)',
    ]);
  });

  it('are listed for allOf', () => {
    const schema: Schema = { type: 'string', allOf: [{ minLength: 2 }, { pattern: '^b' }] };
    expect(messages('a', schema)).toEqual([
      'spec.x: Invalid value: "a": spec.x in body should be at least 2 chars long',
      'spec.x: Invalid value: "a": spec.x in body should match \'^b\'',
      '<nil>: Invalid value: "": "spec.x" must validate all the schemas (allOf). None validated',
    ]);
  });
});
