import { describe, expect, it } from 'vitest';
import type { Json } from '../json.ts';
import { CelRules } from './cel-rules.ts';
import type { Schema, ValidationRule } from './schema.ts';

const rules = await CelRules.load();
const withRule = (rule: string | ValidationRule, schema: Schema = { type: 'object' }): Schema => ({
  ...schema,
  'x-kubernetes-validations': [typeof rule === 'string' ? { rule } : rule],
});
const check = (value: Json, schema: Schema, previous?: Json) =>
  rules.check(value, previous, schema, 'spec').map(({ field, message }) => `${field}: ${message}`);

describe('a CEL rule', () => {
  it.each<[string, Json, boolean]>([
    ['self.a == 1', { a: 1 }, true],
    ['!has(self.a) || self.a > 5', {}, true],
    ['has(self.a) != has(self.b)', { a: 1, b: 1 }, false],
    ['size(self.name) <= 3', { name: 'abcd' }, false],
    ["self.name.startsWith('ab') && self.name.endsWith('cd')", { name: 'abcd' }, true],
    ["self.name.matches('^[a-z]+$')", { name: 'ab1' }, false],
    ['self.list.all(x, x in self.allowed)', { list: [1, 2], allowed: [1, 2, 3] }, true],
    ['self.list.exists(x, x.n == "b")', { list: [{ n: 'a' }, { n: 'b' }] }, true],
    ['self.list.filter(x, x > 1).size() == 1', { list: [1, 2] }, true],
    ['isIP(self.ip) && !isCIDR(self.ip)', { ip: '10.0.0.1' }, true],
    ['self.__namespace__ == "x"', { namespace: 'x' }, true],
    ['self.d < 1.5', { d: 1.25 }, true],
  ])('%s of %j is %j', (rule, value, holds) => {
    expect(check(value, withRule(rule))).toEqual(holds ? [] : [`spec: Invalid value: "object": failed rule: ${rule}`]);
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

  it('that fails to evaluate is broken, not kept', () => {
    expect(check({}, withRule('self.missing == 1'))[0]).toContain('rule evaluation error');
  });

  it.each(['self.', 'nosuch(self)', 'self.a +', '"text"'])('%j is named as one that cannot be evaluated', (rule) => {
    expect(rules.problemOf({ rule })).toBeTypeOf('string');
  });

  it('with options that this server does not know is refused too', () => {
    expect(rules.problemOf({ rule: 'true', messageExpression: '"x"' })).toContain('messageExpression');
    expect(rules.problemOf({ rule: 'true', optionalOldSelf: true })).toContain('optionalOldSelf');
  });
});
