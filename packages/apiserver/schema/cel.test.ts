import { describe, expect, it } from 'vitest';
import { compileExpression, toCel } from './cel.ts';
import type { Schema } from './schema.ts';

const text: Schema = { type: 'string' };
const schema: Schema = {
  type: 'object',
  properties: {
    s: text,
    i: { type: 'integer' },
    d: { type: 'number' },
    list: { type: 'array', items: { type: 'object', properties: { k: text, v: { type: 'integer' } } } },
    m: { type: 'object', additionalProperties: text },
    port: { 'x-kubernetes-int-or-string': true },
    gone: { type: 'string', nullable: true },
    'a-b': text,
    namespace: text,
  },
};
const value = {
  s: 'hello',
  i: 5,
  d: 2,
  list: [{ k: 'a', v: 1 }],
  m: { a: '1', constructor: 'c' },
  port: 80,
  gone: null,
  'a-b': 'dash',
  namespace: 'n',
};

const evaluate = (expression: string): unknown =>
  compileExpression(expression, ['self'], 'bool')({ self: toCel(value, schema) });

describe('an expression', () => {
  it.each([
    "self.a__dash__b == 'dash' && self.__namespace__ == 'n' && has(self.s) && !has(self.m.zz) && !has(self.gone)",
    "self.list.exists(e, e.k == 'a' && e.v == 1) && self.list.map(e, e.v) == [1] && self.m.constructor == 'c'",
    'self.i / 2 == 2 && self.d / 4.0 == 0.5 && self.port == 80 && self.i % 2 == 1',
    '1 / 0 > 0 || self.i > 0',
    "self.s.matches('^[[:alpha:]]+$') && '[x]'.matches('^[[]x[]]$') && !self.s.matches('^[]]')",
    "self.s.substring(1, 3) == 'el' && self.s.indexOf('l') == 2 && self.s.startsWith('he') && size(self.s) == 5",
    "isIP('1.2.3.4') && isIP('::1') && isIP('ffff::1') && !isIP('1.2.3') && !isIP('::ffff:1.2.3.4') && !isIP('::1%a')",
    "self.?s.orValue('d') == 'hello' && self.m[?'zz'].orValue('d') == 'd'",
    "['a', 'b'].all(x, x in ['b', 'a', 'c']) && 'a' in self.m",
  ])('%s is true', (expression) => {
    expect(evaluate(expression)).toBe(true);
  });

  it.each([
    ['self.i / 0 == 1', 'division by zero'],
    ["self.m['zz'] == ''", 'No such key: zz'],
    ['self.i + 9223372036854775807 > 0', 'integer overflow'],
    ["self.s.matches('(' + self.s)", 'error parsing regexp'],
  ])('%s fails at evaluation', (expression, message) => {
    expect(() => evaluate(expression)).toThrow(message);
  });

  it.each([
    ['self.', 'Expected IDENTIFIER'],
    ['self.i = 1', 'Unexpected character'],
    ['nosuch(self)', 'no matching overload'],
    ['other == 1', 'Unknown variable'],
    ['size(self.s)', 'must evaluate to bool but got int'],
    ['', 'Unexpected token'],
  ])('%s does not compile', (expression, message) => {
    expect(() => compileExpression(expression, ['self'], 'bool')).toThrow(message);
  });
});
