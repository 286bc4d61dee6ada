import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { definitionScene, object } from '../../../../test/harness/scenes/definition-scene.ts';

const { http } = await cluster();
const { definition, refusals } = definitionScene(http);

const str = { type: 'string' };
const of = (schema: object) => object({ spec: schema });
const patterns = (...list: string[]) => of(object(Object.fromEntries(list.map((pattern, index) => [`p${index}`, { ...str, pattern }])))); // prettier-ignore

type Case = [label: string, schema: Record<string, unknown>, causes: string[]];

describe('patterns', () => {
  it.each<Case>([
    [
      'that JavaScript does not know',
      patterns(
        '(?i)abc',
        '(?P<a>b)',
        '[[:alpha:]]',
        '\\z',
        '\\Qa.b\\E',
        'a{,2}',
        '\\x{41}',
        '(?U)a+',
        '\\pL',
        '(?s).',
        '[[:^digit:]]',
      ),
      [],
    ],
    [
      'that Go does not know',
      patterns('(?=a)b', '\\1', '(?<!a)b', '\\p{Foo}', '[[:foo:]]', '\\y'),
      [
        'FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].properties[p0].pattern: Invalid value: "(?=a)b": must be a valid regular expression, but isn\'t: error parsing regexp: invalid or unsupported Perl syntax: `(?=`',
        'FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].properties[p1].pattern: Invalid value: "\\\\1": must be a valid regular expression, but isn\'t: error parsing regexp: invalid escape sequence: `\\1`',
        'FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].properties[p2].pattern: Invalid value: "(?<!a)b": must be a valid regular expression, but isn\'t: error parsing regexp: invalid named capture: `(?<!a)b`',
        'FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].properties[p3].pattern: Invalid value: "\\\\p{Foo}": must be a valid regular expression, but isn\'t: error parsing regexp: invalid character class range: `\\p{Foo}`',
        'FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].properties[p4].pattern: Invalid value: "[[:foo:]]": must be a valid regular expression, but isn\'t: error parsing regexp: invalid character class range: `[:foo:]`',
        'FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].properties[p5].pattern: Invalid value: "\\\\y": must be a valid regular expression, but isn\'t: error parsing regexp: invalid escape sequence: `\\y`',
      ],
    ],
    [
      'that are broken',
      patterns('(', '[', 'a**', '[z-a]', 'a{2,1}', 'x{1001}', '*a', 'a\\', ')'),
      [
        'FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].properties[p0].pattern: Invalid value: "(": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ): `(`',
        'FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].properties[p1].pattern: Invalid value: "[": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ]: `[`',
        'FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].properties[p2].pattern: Invalid value: "a**": must be a valid regular expression, but isn\'t: error parsing regexp: invalid nested repetition operator: `**`',
        'FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].properties[p3].pattern: Invalid value: "[z-a]": must be a valid regular expression, but isn\'t: error parsing regexp: invalid character class range: `z-a`',
        'FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].properties[p4].pattern: Invalid value: "a{2,1}": must be a valid regular expression, but isn\'t: error parsing regexp: invalid repeat count: `{2,1}`',
        'FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].properties[p5].pattern: Invalid value: "x{1001}": must be a valid regular expression, but isn\'t: error parsing regexp: invalid repeat count: `{1001}`',
        'FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].properties[p6].pattern: Invalid value: "*a": must be a valid regular expression, but isn\'t: error parsing regexp: missing argument to repetition operator: `*`',
        'FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].properties[p7].pattern: Invalid value: "a\\\\": must be a valid regular expression, but isn\'t: error parsing regexp: trailing backslash at end of expression: ``',
        'FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].properties[p8].pattern: Invalid value: ")": must be a valid regular expression, but isn\'t: error parsing regexp: unexpected ): `)`',
      ],
    ],
  ])('%s', async (_, schema, causes) => {
    expect(await refusals(definition(schema))).toEqual(causes);
  });
});

describe('defaults', () => {
  it.each<Case>([
    [
      'that are values of another type',
      of(
        object({
          a: { type: 'string', default: 5 },
          b: { type: 'array', default: [1, 'x'], items: { type: 'integer' } },
        }),
      ),
      [
        'FieldValueTypeInvalid spec.validation.openAPIV3Schema.properties[spec].properties[a].default: Invalid value: "integer":  in body must be of type string: "integer"',
        'FieldValueTypeInvalid spec.validation.openAPIV3Schema.properties[spec].properties[b].default.[1]: Invalid value: "string": [1] in body must be of type integer: "string"',
      ],
    ],
    [
      'that the schema forbids',
      of(
        object({
          a: object({ b: { type: 'integer', maximum: 0 } }, { default: { b: 1, c: 2 } }),
          d: { type: 'integer', enum: [1, 2], default: 3 },
        }),
      ),
      [
        'FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].properties[a].default.b: Invalid value: 1: b in body should be less than or equal to 0',
        'FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].properties[a].default: Invalid value: {"b":1,"c":2}: must not have unknown fields',
        'FieldValueNotSupported spec.validation.openAPIV3Schema.properties[spec].properties[d].default: Unsupported value: 3: supported values: "1", "2"',
      ],
    ],
    [
      'that a rule forbids',
      of(object({ a: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self != "bad"' }], default: 'bad' } })),
      [
        'FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].properties[a].default: Invalid value: "string": failed rule: self != "bad"',
      ],
    ],
    [
      'that are null',
      of(object({ a: { type: 'string', default: null }, b: { type: 'string', nullable: true, default: null } })),
      [],
    ],
    [
      'where none can be',
      object({ metadata: { type: 'object', default: {} }, kind: { type: 'string', default: 'x' } }),
      [
        'FieldValueForbidden spec.validation.openAPIV3Schema.properties[kind].default: Forbidden: must not be set in top-level kind',
        'FieldValueForbidden spec.validation.openAPIV3Schema.properties[metadata].default: Forbidden: must not be set in top-level metadata',
      ],
    ],
    ['of the values of a map', of({ type: 'object', additionalProperties: { type: 'string', default: 'x' } }), []],
  ])('%s', async (_, schema, causes) => {
    expect(await refusals(definition(schema))).toEqual(causes);
  });
});
