import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { definitionScene, object } from '../../../../test/harness/scenes/definition-scene.ts';

const { http } = await cluster();
const { definition, refusals } = definitionScene(http);

const str = { type: 'string' };
const of = (schema: object) => object({ spec: schema });

type Case = [label: string, schema: Record<string, unknown>, causes: string[]];

describe('a schema with', () => {
  const cases: Case[] = [
    [
      'a root that is no object',
      str,
      ['FieldValueInvalid spec.validation.openAPIV3Schema.type: Invalid value: "string": must be object at the root'],
    ],
    [
      'a root without a type',
      {},
      ['FieldValueRequired spec.validation.openAPIV3Schema.type: Required value: must not be empty at the root'],
    ],
    [
      'a root that may be null',
      { type: 'object', nullable: true },
      ['FieldValueForbidden spec.validation.openAPIV3Schema.nullable: Forbidden: nullable cannot be true at the root'],
    ],
    [
      'a root with a default',
      { type: 'object', default: {} },
      [
        'FieldValueRequired spec.validation.openAPIV3Schema.default.apiVersion: Required value',
        'FieldValueRequired spec.validation.openAPIV3Schema.default.kind: Required value',
      ],
    ],
    [
      'a field without a type',
      of({ properties: {} }),
      [
        'FieldValueRequired spec.validation.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields',
      ],
    ],
    [
      'types that are none',
      of(object({ a: { type: 'null' }, b: { type: 'foo' } })),
      [
        'FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].properties[a].type: Forbidden: type cannot be set to null, use nullable as an alternative',
        'FieldValueNotSupported spec.validation.openAPIV3Schema.properties[spec].properties[a].type: Unsupported value: "null": supported values: "array", "boolean", "integer", "number", "object", "string"',
        'FieldValueNotSupported spec.validation.openAPIV3Schema.properties[spec].properties[b].type: Unsupported value: "foo": supported values: "array", "boolean", "integer", "number", "object", "string"',
      ],
    ],
    [
      'an array without items',
      of({ type: 'array' }),
      ['FieldValueRequired spec.validation.openAPIV3Schema.properties[spec].items: Required value: must be specified'],
    ],
    [
      'an array with a list of schemas',
      of({ type: 'array', items: [str] }),
      [
        'FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].items: Forbidden: items must be a schema object and not an array',
      ],
    ],
    [
      'properties and a schema of additional ones',
      of(object({ a: str }, { additionalProperties: str })),
      [
        'FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive',
      ],
    ],
    ['properties and additional ones', of(object({ a: str }, { additionalProperties: true })), []],
    ['no additional properties', of({ type: 'object', additionalProperties: false }), []],
    [
      'unique items',
      of({ type: 'array', uniqueItems: true, items: str }),
      [
        'FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      ],
    ],
    [
      'keywords that are not supported',
      of({
        type: 'object',
        id: 'x',
        $ref: '#/x',
        definitions: { a: str },
        dependencies: { a: ['b'] },
        patternProperties: { a: str },
      }),
      [
        'FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].$ref: Forbidden: $ref is not supported',
        'FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].definitions: Forbidden: definitions is not supported',
        'FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].dependencies: Forbidden: dependencies is not supported',
        'FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].id: Forbidden: id is not supported',
        'FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].patternProperties: Forbidden: patternProperties is not supported',
      ],
    ],
    [
      'additionalItems',
      of({ type: 'array', items: str, additionalItems: false }),
      [
        'FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].additionalItems: Forbidden: additionalItems is not supported',
      ],
    ],
    [
      'unknown fields that are not to be preserved',
      of({ type: 'object', 'x-kubernetes-preserve-unknown-fields': false }),
      [
        'FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined',
      ],
    ],
    [
      'formats that nobody knows, or of other types',
      of(object({ a: { type: 'string', format: 'zzz' }, b: { type: 'integer', format: 'ipv4' } })),
      [],
    ],
    [
      'bounds that leave nothing',
      of(
        object({
          a: { type: 'integer', minimum: 5, maximum: 1 },
          b: { type: 'array', items: str, minItems: -1, maxItems: -1 },
        }),
      ),
      [],
    ],
    ['an enum of other types', of({ type: 'string', enum: ['a', 1, null] }), []],
  ];
  it.each(cases)('%s', async (_, schema, causes) => {
    expect(await refusals(definition(schema))).toEqual(causes);
  });
});

describe('alternatives with', () => {
  const cases: Case[] = [
    [
      'a type',
      of({ type: 'string', anyOf: [{ type: 'string' }] }),
      [
        'FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].anyOf[0].type: Forbidden: must be empty to be structural',
      ],
    ],
    [
      'what describes structure',
      of(
        object(
          { a: str },
          {
            allOf: [
              {
                description: 'x',
                title: 'y',
                nullable: true,
                default: {},
                'x-kubernetes-preserve-unknown-fields': true,
                additionalProperties: { minLength: 2 },
              },
            ],
          },
        ),
      ),
      [
        'FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].allOf[0].additionalProperties: Forbidden: must be undefined to be structural',
        'FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].allOf[0].default: Forbidden: must be undefined to be structural',
        'FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].allOf[0].description: Forbidden: must be empty to be structural',
        'FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].allOf[0].nullable: Forbidden: must be false to be structural',
        'FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].allOf[0].title: Forbidden: must be empty to be structural',
        'FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].allOf[0].x-kubernetes-preserve-unknown-fields: Forbidden: must be false to be structural',
      ],
    ],
    [
      'fields that the structure has not',
      of(
        object(
          { a: str },
          { allOf: [{ properties: { a: { minLength: 1 }, b: { minLength: 1 } } }], not: { items: {} } },
        ),
      ),
      [],
    ],
    [
      'extensions',
      of({
        type: 'object',
        oneOf: [
          {
            'x-kubernetes-list-type': 'set',
            'x-kubernetes-list-map-keys': ['a'],
            'x-kubernetes-map-type': 'atomic',
            'x-kubernetes-embedded-resource': true,
            'x-kubernetes-int-or-string': true,
            'x-kubernetes-validations': [{ rule: 'true' }],
          },
        ],
      }),
      [
        'FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].oneOf[0].x-kubernetes-embedded-resource: Forbidden: must be false to be structural',
        'FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].oneOf[0].x-kubernetes-int-or-string: Forbidden: must be false to be structural',
        'FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].oneOf[0].x-kubernetes-list-map-keys: Forbidden: must be empty to be structural',
        'FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].oneOf[0].x-kubernetes-list-type: Forbidden: must be undefined to be structural',
        'FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].oneOf[0].x-kubernetes-map-type: Forbidden: must be undefined to be structural',
        'FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].oneOf[0].x-kubernetes-validations: Forbidden: must be empty to be structural',
        'FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].oneOf[0].x-kubernetes-list-type: Invalid value: "set": must be map if x-kubernetes-list-map-keys is non-empty',
        'FieldValueRequired spec.validation.openAPIV3Schema.properties[spec].oneOf[0].type: Required value: must be array if x-kubernetes-list-type is specified',
        'FieldValueRequired spec.validation.openAPIV3Schema.properties[spec].oneOf[0].type: Required value: must be object if x-kubernetes-map-type is specified',
      ],
    ],
    [
      'the types of int-or-string',
      of({ 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] }),
      [],
    ],
    [
      'the types of int-or-string beside a pattern',
      of({
        'x-kubernetes-int-or-string': true,
        allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, { pattern: 'x' }],
      }),
      [],
    ],
    [
      'the types of int-or-string in another order',
      of({ 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'string' }, { type: 'integer' }] }),
      [
        'FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].anyOf[0].type: Forbidden: must be empty to be structural',
        'FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].anyOf[1].type: Forbidden: must be empty to be structural',
      ],
    ],
  ];
  it.each(cases)('%s', async (_, schema, causes) => {
    expect(await refusals(definition(schema))).toEqual(causes);
  });
});

describe('metadata in a schema may', () => {
  const cases: Case[] = [
    [
      'restrict names',
      object({
        metadata: object({ name: { type: 'string', maxLength: 3 }, generateName: { type: 'string', pattern: 'x' } }),
      }),
      [],
    ],
    [
      'not restrict labels, nor tell other types',
      object({ metadata: object({ labels: { type: 'object' } }), kind: { type: 'integer' }, apiVersion: {} }),
      [
        'FieldValueForbidden spec.validation.openAPIV3Schema.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
        'FieldValueInvalid spec.validation.openAPIV3Schema.properties[apiVersion].type: Invalid value: "": must be string',
        'FieldValueInvalid spec.validation.openAPIV3Schema.properties[kind].type: Invalid value: "integer": must be string',
        'FieldValueRequired spec.validation.openAPIV3Schema.properties[apiVersion].type: Required value: must not be empty for specified object fields',
      ],
    ],
    [
      'not be anything but an object',
      object({ metadata: { description: 'x', type: 'string' } }),
      [
        'FieldValueForbidden spec.validation.openAPIV3Schema.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
        'FieldValueInvalid spec.validation.openAPIV3Schema.properties[metadata].type: Invalid value: "string": must be object',
      ],
    ],
  ];
  it.each(cases)('%s', async (_, schema, causes) => {
    expect(await refusals(definition(schema))).toEqual(causes);
  });
});
