import { describe, expect, it } from 'vitest';
import type { Json } from '../../json.ts';
import type { Schema, ValidationRule } from '../schema.ts';
import { CelRules } from './cel-rules.ts';

const rules = await CelRules.load();
const withRule = (rule: string | ValidationRule, schema: Schema): Schema => ({
  ...schema,
  'x-kubernetes-validations': [typeof rule === 'string' ? { rule } : rule],
});
const check = (value: Json, schema: Schema, previous?: Json) =>
  rules.check(value, previous, schema, undefined, 'spec').map(({ field, message }) => `${field}: ${message}`);
const integer: Schema = { type: 'integer' };
const string: Schema = { type: 'string' };
const object: Schema = {
  type: 'object',
  properties: {
    a: integer,
    b: integer,
    name: string,
    list: { type: 'array', items: integer },
    allowed: { type: 'array', items: integer },
    items: { type: 'array', items: { type: 'object', properties: { n: string } } },
    ip: string,
    namespace: string,
    d: { type: 'number' },
  },
};

describe('a CEL rule', () => {
  it.each<[string, Json, boolean]>([
    ['self.a == 1', { a: 1 }, true],
    ['!has(self.a) || self.a > 5', {}, true],
    ['has(self.a) != has(self.b)', { a: 1, b: 1 }, false],
    ['size(self.name) <= 3', { name: 'abcd' }, false],
    ["self.name.startsWith('ab') && self.name.endsWith('cd')", { name: 'abcd' }, true],
    ["self.name.matches('^[a-z]+$')", { name: 'ab1' }, false],
    ['self.list.all(x, x in self.allowed)', { list: [1, 2], allowed: [1, 2, 3] }, true],
    ['self.items.exists(x, x.n == "b")', { items: [{ n: 'a' }, { n: 'b' }] }, true],
    ['self.list.filter(x, x > 1).size() == 1', { list: [1, 2] }, true],
    ['isIP(self.ip) && !isCIDR(self.ip)', { ip: '10.0.0.1' }, true],
    ['self.__namespace__ == "x"', { namespace: 'x' }, true],
    ['self.d < 1.5', { d: 1.25 }, true],
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
      'spec: Invalid value: "object": no such key: a evaluating rule: self.a == 1',
    ]);
  });

  it('has a message, a reason and a field of its own', () => {
    const rule: ValidationRule = {
      rule: 'self.a > 3',
      messageExpression: "'%d is too little'.format([self.a])",
      reason: 'FieldValueForbidden',
      fieldPath: '.a',
    };
    expect(check({ a: 1 }, withRule(rule, object))).toEqual(['spec.a: Forbidden: 1 is too little']);
  });

  it('sees whether there was an old value where it asks so', () => {
    const rule: ValidationRule = { rule: 'oldSelf.orValue(0) < self', optionalOldSelf: true };
    const schema = withRule(rule, integer);
    expect(check(1, schema)).toEqual([]);
    expect(check(1, schema, 2)).toHaveLength(1);
  });

  it.each([
    ['self.', /no viable alternative at input '\.'/],
    ['self.a ==', /mismatched input '<EOF>' expecting/],
    ['self.a = 1', /token recognition error at: '= '/],
    ['nosuch(self)', /undeclared reference to 'nosuch'/],
    ['self.zz == 1', /undefined field 'zz'/],
    ['self.a', /must evaluate to a bool/],
    ["self.a == 'x'", /found no matching overload for '_==_' applied to '\(int, string\)'/],
    ["self.name.matches('(')", /invalid matches argument/],
    ["int('x') == 1", /program instantiation failed: type conversion error from 'string' to 'int'/],
    ["'%d'.format(['x']) == 'x'", /decimal clause can only be used on integers, was given string/],
    ["semver('1.0.0').major() == 1", /the function 'semver' is not implemented/],
  ])('%s is named as one that cannot be', (rule, problem) => {
    expect(rules.compile(withRule(rule, object), false)?.[0]?.problem).toMatch(problem);
  });
});
