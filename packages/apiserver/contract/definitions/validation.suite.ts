import { beforeAll, describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { definitionScene, object, spec, type CustomKind } from '../../../../test/harness/scenes/definition-scene.ts';

const { http } = await cluster();
const { define } = definitionScene(http);

const STRING = { type: 'string' };
const INTEGER = { type: 'integer' };
const NUMBER = { type: 'number' };
const PAIR = object({ x: STRING, y: STRING });
const SCHEMA = spec({
  text: STRING,
  integer: INTEGER,
  number: NUMBER,
  boolean: { type: 'boolean' },
  array: { type: 'array', items: STRING },
  map: { type: 'object', additionalProperties: INTEGER },
  choice: { type: 'string', enum: ['a', 'b'] },
  number_choice: { type: 'integer', enum: [1, 2] },
  pattern: { type: 'string', pattern: '^[a-z]+$' },
  length: { type: 'string', minLength: 2, maxLength: 3 },
  items: { type: 'array', items: INTEGER, minItems: 2, maxItems: 3 },
  entries: { type: 'object', additionalProperties: STRING, minProperties: 2, maxProperties: 3 },
  range: { type: 'integer', minimum: 2, maximum: 5 },
  open_range: { type: 'number', minimum: 2, maximum: 5000000, exclusiveMinimum: true, exclusiveMaximum: true },
  multiple: { type: 'integer', multipleOf: 3 },
  number_multiple: { type: 'number', multipleOf: 0.5 },
  int_or_string: { 'x-kubernetes-int-or-string': true, pattern: '^a', maxLength: 2, maximum: 5 },
  nullable: { type: 'string', nullable: true },
  preserved: object({ x: INTEGER }, { 'x-kubernetes-preserve-unknown-fields': true }),
  anything: { 'x-kubernetes-preserve-unknown-fields': true },
  required: { ...PAIR, required: ['x', 'y'] },
  any: { ...PAIR, anyOf: [{ required: ['x'] }, { required: ['y'] }] },
  one: { ...PAIR, oneOf: [{ required: ['x'] }, { required: ['y'] }] },
  all: { type: 'string', allOf: [{ pattern: '^a' }, { maxLength: 3 }] },
  not: { type: 'string', not: { enum: ['x'] } },
  nested: object({
    list: { type: 'array', items: object({ v: { type: 'integer', maximum: 3 } }) },
    map: { type: 'object', additionalProperties: object({ v: INTEGER }) },
  }),
});

let kind: CustomKind;
beforeAll(async () => {
  kind = await define(SCHEMA);
});

type Case = [label: string, fields: Record<string, unknown>, causes: string[]];
const check = async (_: string, fields: Record<string, unknown>, causes: string[]): Promise<void> => {
  expect(await kind.refusals({ spec: fields })).toEqual(causes);
};

describe('a value of another type', () => {
  const cases: Case[] = [
    [
      'a number for a text',
      { text: 1 },
      [
        'FieldValueTypeInvalid spec.text: Invalid value: "integer": spec.text in body must be of type string: "integer"',
      ],
    ],
    ['null for a text', { text: null }, []],
    [
      'a list for a text',
      { text: [] },
      ['FieldValueTypeInvalid spec.text: Invalid value: "array": spec.text in body must be of type string: "array"'],
    ],
    [
      'an object for a text',
      { text: {} },
      ['FieldValueTypeInvalid spec.text: Invalid value: "object": spec.text in body must be of type string: "object"'],
    ],
    [
      'a text for an integer',
      { integer: 'x' },
      [
        'FieldValueTypeInvalid spec.integer: Invalid value: "string": spec.integer in body must be of type integer: "string"',
      ],
    ],
    [
      'a fraction for an integer',
      { integer: 1.5 },
      [
        'FieldValueTypeInvalid spec.integer: Invalid value: "number": spec.integer in body must be of type integer: "number"',
      ],
    ],
    [
      'more than 64 bits for an integer',
      { integer: 1e20 },
      [
        'FieldValueTypeInvalid spec.integer: Invalid value: "number": spec.integer in body must be of type integer: "number"',
      ],
    ],
    ['an integer for a number', { number: 1 }, []],
    [
      'a text for a number',
      { number: 'x' },
      [
        'FieldValueTypeInvalid spec.number: Invalid value: "string": spec.number in body must be of type number: "string"',
      ],
    ],
    [
      'a text for a boolean',
      { boolean: 'true' },
      [
        'FieldValueTypeInvalid spec.boolean: Invalid value: "string": spec.boolean in body must be of type boolean: "string"',
      ],
    ],
    [
      'an object for a list',
      { array: {} },
      ['FieldValueTypeInvalid spec.array: Invalid value: "object": spec.array in body must be of type array: "object"'],
    ],
    [
      'a text for a list',
      { array: 'x' },
      ['FieldValueTypeInvalid spec.array: Invalid value: "string": spec.array in body must be of type array: "string"'],
    ],
    [
      'other items in a list',
      { array: ['x', 2, true, null] },
      [
        'FieldValueTypeInvalid spec.array[1]: Invalid value: "integer": spec.array[1] in body must be of type string: "integer"',
        'FieldValueTypeInvalid spec.array[2]: Invalid value: "boolean": spec.array[2] in body must be of type string: "boolean"',
        'FieldValueTypeInvalid spec.array[3]: Invalid value: "null": spec.array[3] in body must be of type string: "null"',
      ],
    ],
    [
      'a list for a map',
      { map: [] },
      ['FieldValueTypeInvalid spec.map: Invalid value: "array": spec.map in body must be of type object: "array"'],
    ],
    [
      'other values in a map',
      { map: { 'a.b/c': 'y', n: null } },
      [
        'FieldValueTypeInvalid spec.map.a.b/c: Invalid value: "string": spec.map.a.b/c in body must be of type integer: "string"',
      ],
    ],
    [
      'a fraction for int-or-string',
      { int_or_string: 1.5 },
      [
        'FieldValueTypeInvalid spec.int_or_string: Invalid value: "number": spec.int_or_string in body must be of type integer,string: "number"',
      ],
    ],
    [
      'an object for int-or-string',
      { int_or_string: {} },
      [
        'FieldValueTypeInvalid spec.int_or_string: Invalid value: "object": spec.int_or_string in body must be of type integer,string: "object"',
      ],
    ],
    ['null for what may be null', { nullable: null }, []],
    [
      'a number for what may be null',
      { nullable: 1 },
      [
        'FieldValueTypeInvalid spec.nullable: Invalid value: "integer": spec.nullable in body must be of type string: "integer"',
      ],
    ],
    [
      'a list for an object with unknown fields',
      { preserved: [] },
      [
        'FieldValueTypeInvalid spec.preserved: Invalid value: "array": spec.preserved in body must be of type object: "array"',
      ],
    ],
    [
      'another type of a known field among unknown ones',
      { preserved: { x: 'a', y: 1 } },
      [
        'FieldValueTypeInvalid spec.preserved.x: Invalid value: "string": spec.preserved.x in body must be of type integer: "string"',
      ],
    ],
    ['anything for what has no type', { anything: [1, 'a', null, {}] }, []],
    ['null for what has no type', { anything: null }, []],
    [
      'a list for a list of objects in a nested one',
      { nested: { list: {} } },
      [
        'FieldValueTypeInvalid spec.nested.list: Invalid value: "object": spec.nested.list in body must be of type array: "object"',
      ],
    ],
    [
      'other values deep in lists and maps',
      { nested: { list: [{ v: 9 }, { v: 'x' }], map: { 'a.b': { v: 'x' } } } },
      [
        'FieldValueInvalid spec.nested.list[0].v: Invalid value: 9: spec.nested.list[0].v in body should be less than or equal to 3',
        'FieldValueTypeInvalid spec.nested.list[1].v: Invalid value: "string": spec.nested.list[1].v in body must be of type integer: "string"',
        'FieldValueTypeInvalid spec.nested.map.a.b.v: Invalid value: "string": spec.nested.map.a.b.v in body must be of type integer: "string"',
      ],
    ],
  ];
  it.each(cases)('%s', check);
});

describe('a value that the schema excludes', () => {
  const cases: Case[] = [
    [
      'by its enum',
      { choice: 'c' },
      ['FieldValueNotSupported spec.choice: Unsupported value: "c": supported values: "a", "b"'],
    ],
    [
      'by its enum, with an empty text',
      { choice: '' },
      ['FieldValueNotSupported spec.choice: Unsupported value: "": supported values: "a", "b"'],
    ],
    [
      'by its enum, with a number',
      { number_choice: 3 },
      ['FieldValueNotSupported spec.number_choice: Unsupported value: 3: supported values: "1", "2"'],
    ],
    [
      'by its pattern',
      { pattern: 'A' },
      [`FieldValueInvalid spec.pattern: Invalid value: "A": spec.pattern in body should match '^[a-z]+$'`],
    ],
    [
      'by minLength',
      { length: 'a' },
      ['FieldValueInvalid spec.length: Invalid value: "a": spec.length in body should be at least 2 chars long'],
    ],
    ['by maxLength', { length: 'abcd' }, ['FieldValueTooLong spec.length: Too long: may not be more than 3 bytes']],
    ['not by maxLength, which counts characters', { length: 'äöü' }, []],
    [
      'by minItems',
      { items: [1] },
      ['FieldValueInvalid spec.items: Invalid value: 1: spec.items in body should have at least 2 items'],
    ],
    ['by maxItems', { items: [1, 2, 3, 4] }, ['FieldValueTooMany spec.items: Too many: 4: must have at most 3 items']],
    [
      'by minProperties',
      { entries: { a: '' } },
      ['FieldValueInvalid spec.entries: Invalid value: 1: spec.entries in body should have at least 2 properties'],
    ],
    [
      'by maxProperties',
      { entries: { a: '', b: '', c: '', d: '' } },
      ['FieldValueTooMany spec.entries: Too many: 4: must have at most 3 items'],
    ],
    [
      'by minimum',
      { range: 1 },
      ['FieldValueInvalid spec.range: Invalid value: 1: spec.range in body should be greater than or equal to 2'],
    ],
    [
      'by maximum',
      { range: 6 },
      ['FieldValueInvalid spec.range: Invalid value: 6: spec.range in body should be less than or equal to 5'],
    ],
    [
      'by exclusiveMinimum',
      { open_range: 2 },
      ['FieldValueInvalid spec.open_range: Invalid value: 2: spec.open_range in body should be greater than 2'],
    ],
    [
      'by exclusiveMaximum',
      { open_range: 5000000 },
      [
        'FieldValueInvalid spec.open_range: Invalid value: 5000000: spec.open_range in body should be less than 5000000',
      ],
    ],
    [
      'by multipleOf',
      { multiple: 4 },
      ['FieldValueInvalid spec.multiple: Invalid value: 4: spec.multiple in body should be a multiple of 3'],
    ],
    [
      'by multipleOf of a fraction',
      { number_multiple: 0.3 },
      [
        'FieldValueInvalid spec.number_multiple: Invalid value: 0.3: spec.number_multiple in body should be a multiple of 0.5',
      ],
    ],
    ['not by multipleOf', { multiple: 9, number_multiple: 1.5 }, []],
    [
      'by the pattern of int-or-string',
      { int_or_string: 'b' },
      [`FieldValueInvalid spec.int_or_string: Invalid value: "b": spec.int_or_string in body should match '^a'`],
    ],
    [
      'by the length of int-or-string',
      { int_or_string: 'abc' },
      ['FieldValueTooLong spec.int_or_string: Too long: may not be more than 2 bytes'],
    ],
    [
      'by the maximum of int-or-string',
      { int_or_string: 6 },
      [
        'FieldValueInvalid spec.int_or_string: Invalid value: 6: spec.int_or_string in body should be less than or equal to 5',
      ],
    ],
    [
      'by required',
      { required: {} },
      ['FieldValueRequired spec.required.x: Required value', 'FieldValueRequired spec.required.y: Required value'],
    ],
    [
      'by required, with null',
      { required: { x: null, y: 'a' } },
      ['FieldValueRequired spec.required.x: Required value'],
    ],
    [
      'by oneOf, with both',
      { one: { x: '', y: '' } },
      [
        'FieldValueInvalid <nil>: Invalid value: "": "spec.one" must validate one and only one schema (oneOf). Found 2 valid alternatives',
      ],
    ],
    [
      'by allOf',
      { all: 'bcde' },
      [
        'FieldValueInvalid <nil>: Invalid value: "": "spec.all" must validate all the schemas (allOf). None validated',
        `FieldValueInvalid spec.all: Invalid value: "bcde": spec.all in body should match '^a'`,
        'FieldValueTooLong spec.all: Too long: may not be more than 3 bytes',
      ],
    ],
    [
      'by allOf, with another type',
      { all: 1 },
      ['FieldValueTypeInvalid spec.all: Invalid value: "integer": spec.all in body must be of type string: "integer"'],
    ],
    [
      'by not',
      { not: 'x' },
      ['FieldValueInvalid <nil>: Invalid value: "": "spec.not" must not validate the schema (not)'],
    ],
  ];
  it.each(cases)('%s', check);

  // kube-apiserver adds what is missing in the alternative that matches best.
  it.each([
    ['anyOf', { any: {} }, '"spec.any" must validate at least one schema (anyOf)'],
    ['oneOf', { one: {} }, '"spec.one" must validate one and only one schema (oneOf). Found none valid'],
  ])('by %s, with no match', async (_, fields, problem) => {
    expect(await kind.refusals({ spec: fields })).toContain(`FieldValueInvalid <nil>: Invalid value: "": ${problem}`);
  });
});
