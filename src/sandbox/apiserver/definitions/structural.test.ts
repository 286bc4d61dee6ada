import { describe, expect, it } from 'vitest';
import { CelRules, type Schema } from '../schema/index.ts';
import { StructuralCheck } from './structural.ts';

const rules = await CelRules.load();
const check = (spec: Schema) =>
  new StructuralCheck(rules)
    .check({ type: 'object', properties: { spec } }, 'schema')
    .map(({ field, message }) => `${field}: ${message}`);
const SPEC = 'schema.properties[spec]';

describe('a structural schema', () => {
  it('may hold what our CRDs hold', () => {
    const port: Schema = { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] };
    const list: Schema = {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      items: { type: 'object', required: ['type'], properties: { type: { type: 'string' } } },
    };
    const free: Schema = { 'x-kubernetes-preserve-unknown-fields': true };
    expect(
      check({
        type: 'object',
        properties: { port, list, free },
        'x-kubernetes-validations': [{ rule: 'has(self.port)' }],
      }),
    ).toEqual([]);
  });

  it.each<[string, Schema, string]>([
    ['no type', { properties: {} }, `${SPEC}.type: Required value: must not be empty for specified object fields`],
    ['an array of anything', { type: 'array' }, `${SPEC}.items: Required value: must be specified`],
    [
      'a type in a junctor',
      { type: 'string', anyOf: [{ type: 'string' }] },
      `${SPEC}.anyOf[0].type: Forbidden: must be empty to be structural`,
    ],
    [
      'properties of two sorts',
      { type: 'object', properties: {}, additionalProperties: true },
      `${SPEC}.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`,
    ],
    [
      'an unsafe map key',
      {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['a'],
        items: { type: 'object', properties: { a: { type: 'string' } } },
      },
      `${SPEC}.items.properties[a].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`,
    ],
    [
      'unique items',
      { type: 'array', items: { type: 'string' }, uniqueItems: true },
      `${SPEC}.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`,
    ],
  ])('may not have %s', (_what, schema, message) => {
    expect(check(schema)).toEqual([message]);
  });

  it('may not have keywords or patterns that kube-apiserver does not know', () => {
    expect(check({ type: 'string', const: 'x' } as Schema)).toEqual([`${SPEC}.const: Forbidden: not supported`]);
    expect(check({ type: 'string', pattern: '(?=a)b' })[0]).toContain('must be a valid regular expression');
  });

  it('names a rule that cannot be evaluated', () => {
    expect(
      check({
        type: 'object',
        'x-kubernetes-validations': [{ rule: 'true' }, { rule: 'quantity(self.a).isGreaterThan(1)' }],
      })[0],
    ).toMatch(
      /^schema\.properties\[spec\]\.x-kubernetes-validations\[1\]\.rule: Invalid value: "quantity.*compilation failed/,
    );
  });
});
