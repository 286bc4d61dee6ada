import { describe, expect, it } from 'vitest';
import type { Json } from '../json.ts';
import type { Schema, ValidationRule } from './schema.ts';
import { ruleErrors } from './cel-rules.ts';

const withRule = (rule: string | ValidationRule, schema: Schema): Schema => ({
  ...schema,
  'x-kubernetes-validations': [typeof rule === 'string' ? { rule } : rule],
});
const check = (value: Json, schema: Schema, previous?: Json) =>
  ruleErrors(value, previous, schema, undefined, 'spec').map(({ field, message }) => `${field}: ${message}`);
const integer: Schema = { type: 'integer' };
const object: Schema = {
  type: 'object',
  properties: {
    a: integer,
    b: integer,
    list: { type: 'array', items: integer },
    allowed: { type: 'array', items: integer },
  },
};

describe('a CEL rule', () => {
  it.each<[string, Json, boolean]>([
    ['self.a == 1', { a: 1 }, true],
    ['!has(self.a) || self.a > 5', {}, true],
    ['has(self.a) != has(self.b)', { a: 1, b: 1 }, false],
    ['self.list.all(x, x in self.allowed)', { list: [1, 2], allowed: [1, 2, 3] }, true],
  ])('%s of %j is %j', (rule, value, holds) => {
    const failed = [`spec: Invalid value: "object": failed rule: ${rule}`];
    expect(check(value, withRule(rule, object))).toEqual(holds ? [] : failed);
  });

  it('says its own message, at its own path', () => {
    const schema: Schema = {
      type: 'object',
      properties: { a: withRule({ rule: 'self < 5', message: 'must be small' }, { type: 'integer' }) },
    };
    expect(check({ a: 7 }, schema)).toEqual(['spec.a: Invalid value: "integer": must be small']);
  });

  it('about the old value is for updates only', () => {
    const schema: Schema = {
      type: 'object',
      properties: { a: withRule({ rule: 'self == oldSelf', message: 'field is immutable' }, { type: 'string' }) },
    };
    expect(check({ a: 'x' }, schema)).toEqual([]);
    expect(check({ a: 'x' }, schema, { a: 'x' })).toEqual([]);
    expect(check({ a: 'x' }, schema, {})).toEqual([]);
    expect(check({ a: 'y' }, schema, { a: 'x' })).toEqual(['spec.a: Invalid value: "string": field is immutable']);
  });

  it('compares items of a list by their keys with what they were', () => {
    const items = withRule('self.v >= oldSelf.v', {
      type: 'object',
      properties: { n: { type: 'string' }, v: { type: 'integer' } },
    });
    const schema: Schema = {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['n'],
      items,
    };
    expect(
      check(
        [
          { n: 'b', v: 1 },
          { n: 'a', v: 0 },
        ],
        schema,
        [
          { n: 'a', v: 1 },
          { n: 'b', v: 1 },
        ],
      ),
    ).toEqual(['spec[1]: Invalid value: "object": failed rule: self.v >= oldSelf.v']);
  });

  it('that fails to evaluate is broken, and says how', () => {
    expect(check({}, withRule('self.a == 1', object))).toEqual([
      'spec: Invalid value: "object": No such key: a evaluating rule: self.a == 1',
    ]);
  });

  it('has a message, a reason and a field of its own', () => {
    const rule: ValidationRule = {
      rule: 'self.a > 3',
      messageExpression: "string(self.a) + ' is too little'",
      reason: 'FieldValueForbidden',
      fieldPath: '.a',
    };
    expect(check({ a: 1 }, withRule(rule, object))).toEqual(['spec.a: Forbidden: 1 is too little']);
  });
});
