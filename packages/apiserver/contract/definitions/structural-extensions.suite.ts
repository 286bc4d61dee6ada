import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { definitionScene, object } from '../../../../test/harness/scenes/definition-scene.ts';

const { http } = await cluster();
const { definition, refusals } = definitionScene(http);

const str = { type: 'string' };
const of = (schema: object) => object({ spec: schema });

type Case = [label: string, schema: Record<string, unknown>, causes: string[]];

describe('the extension', () => {
  const cases: Case[] = [
    ['int-or-string with a type', of({ type: 'string', 'x-kubernetes-int-or-string': true }), []],
    [
      'int-or-string with other extensions',
      of({
        'x-kubernetes-int-or-string': true,
        'x-kubernetes-preserve-unknown-fields': true,
        'x-kubernetes-embedded-resource': true,
      }),
      [
        'FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-embedded-resource: Invalid value: true: must be false if x-kubernetes-int-or-string is true',
        'FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if x-kubernetes-int-or-string is true',
        'FieldValueRequired spec.validation.openAPIV3Schema.properties[spec].type: Required value: must be object if x-kubernetes-embedded-resource is true',
      ],
    ],
    [
      'embedded-resource without a type',
      of({ 'x-kubernetes-embedded-resource': true }),
      [
        'FieldValueRequired spec.validation.openAPIV3Schema.properties[spec].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
        'FieldValueRequired spec.validation.openAPIV3Schema.properties[spec].type: Required value: must be object if x-kubernetes-embedded-resource is true',
      ],
    ],
    [
      'embedded-resource without fields',
      of({ type: 'object', 'x-kubernetes-embedded-resource': true }),
      [
        'FieldValueRequired spec.validation.openAPIV3Schema.properties[spec].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
      ],
    ],
    [
      'embedded-resource of a map',
      of({ type: 'object', 'x-kubernetes-embedded-resource': true, additionalProperties: str }),
      [
        'FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].additionalProperties: Forbidden: must not be used if x-kubernetes-embedded-resource is set',
        'FieldValueRequired spec.validation.openAPIV3Schema.properties[spec].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
      ],
    ],
    [
      'embedded-resource with metadata of its own',
      of({
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        properties: { kind: { type: 'integer' }, metadata: str },
      }),
      [
        'FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].properties[kind].type: Invalid value: "integer": must be string',
        'FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].properties[metadata].type: Invalid value: "string": must be object',
      ],
    ],
    [
      'list-type map',
      of({
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['a'],
        items: object({ a: str }, { required: ['a'] }),
      }),
      [],
    ],
    [
      'list-type map with a key that may be missing',
      of({
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['a'],
        items: object({ a: str }),
      }),
      [
        'FieldValueRequired spec.validation.openAPIV3Schema.properties[spec].items.properties[a].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
      ],
    ],
    [
      'list-type map without keys',
      of({ type: 'array', 'x-kubernetes-list-type': 'map', items: object({ a: str }, { required: ['a'] }) }),
      [
        'FieldValueRequired spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map',
      ],
    ],
    [
      'list-type map with unknown keys, twice',
      of({
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['b', 'b'],
        items: object({ a: str }, { required: ['a'] }),
      }),
      [
        'FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-list-map-keys: Invalid value: ["b","b"]: entries must all be names of item properties',
        'FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-list-map-keys: Invalid value: ["b","b"]: entries must all be names of item properties',
        'FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-list-map-keys: Invalid value: ["b","b"]: must not contain duplicate entries',
      ],
    ],
    [
      'list-type map of texts',
      of({ type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['b'], items: str }),
      [
        `FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].items.type: Invalid value: "string": must be object if parent array's x-kubernetes-list-type is map`,
      ],
    ],
    [
      'list-type map with a key that is an object',
      of({
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['a'],
        items: object({ a: { type: 'object', nullable: true } }, { required: ['a'], nullable: true }),
      }),
      [
        'FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is map',
        'FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].items.properties[a].nullable: Forbidden: this property is in x-kubernetes-list-map-keys, so it cannot be nullable',
        `FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].items.properties[a].type: Invalid value: "object": must be a scalar type if parent array's x-kubernetes-list-type is map`,
      ],
    ],
    [
      'list-map-keys without a list-type',
      of({ type: 'array', 'x-kubernetes-list-map-keys': ['b'], items: str }),
      [
        'FieldValueRequired spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is non-empty',
      ],
    ],
    [
      'list-type set of objects',
      of({ type: 'array', 'x-kubernetes-list-type': 'set', items: object({ a: str }) }),
      [
        'FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set',
      ],
    ],
    [
      'list-type set of atomic objects',
      of({
        type: 'array',
        'x-kubernetes-list-type': 'set',
        items: object({ a: str }, { 'x-kubernetes-map-type': 'atomic' }),
      }),
      [],
    ],
    [
      'list-type set of sets',
      of({
        type: 'array',
        'x-kubernetes-list-type': 'set',
        items: { type: 'array', 'x-kubernetes-list-type': 'set', items: str },
      }),
      [
        'FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].items.x-kubernetes-list-type: Invalid value: "set": must be atomic as item of a list with x-kubernetes-list-type=set',
      ],
    ],
    [
      'list-type set of what may be null',
      of({ type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string', nullable: true } }),
      [
        'FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is set',
      ],
    ],
    [
      'list-type that is none',
      of({ type: 'array', items: str, 'x-kubernetes-list-type': 'foo' }),
      [
        'FieldValueNotSupported spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-list-type: Unsupported value: "foo": supported values: "atomic", "set", "map"',
      ],
    ],
    [
      'list-type of no list',
      of({ type: 'string', 'x-kubernetes-list-type': 'set' }),
      [
        'FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].type: Invalid value: "string": must be array if x-kubernetes-list-type is specified',
      ],
    ],
    [
      'map-type that is none',
      of({ type: 'object', 'x-kubernetes-map-type': 'foo' }),
      [
        'FieldValueNotSupported spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-map-type: Unsupported value: "foo": supported values: "atomic", "granular"',
      ],
    ],
    [
      'map-type of no map',
      of({ type: 'array', items: str, 'x-kubernetes-map-type': 'atomic' }),
      [
        'FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].type: Invalid value: "array": must be object if x-kubernetes-map-type is specified',
      ],
    ],
  ];
  it.each(cases)('%s', async (_, schema, causes) => {
    expect(await refusals(definition(schema))).toEqual(causes);
  });
});
