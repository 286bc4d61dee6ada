import { Environment } from '@marcbachmann/cel-js';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../json.ts';
import type { Schema } from '../schema.ts';
import { compileExpression } from './compile-expression.ts';
import { declaredType } from './declared-type.ts';
import { toCel } from './schema-values.ts';
import { ValueScope } from './scope.ts';
import { DYN } from './types.ts';

const parser = new Environment({ enableOptionalTypes: true });
const parse = (text: string) => parser.parse(text).ast;
const text: Schema = { type: 'string' };
const schema: Schema = {
  type: 'object',
  properties: {
    s: text,
    i: { type: 'integer' },
    set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
    map: {
      type: 'array',
      items: { type: 'object', properties: { k: text, v: { type: 'integer' } } },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
    },
    m: { type: 'object', additionalProperties: text },
    ios: { 'x-kubernetes-int-or-string': true },
    at: { type: 'string', format: 'date-time' },
    for: { type: 'string', format: 'duration' },
    'a-b': text,
  },
};
const value: Json = {
  s: 'hello',
  i: 5,
  set: ['x', 'y'],
  map: [{ k: 'a', v: 1 }],
  m: { a: '1' },
  ios: 5,
  at: '2020-01-02T03:04:05Z',
  for: '1h30m',
  'a-b': 'dash',
};

function evaluate(expression: string): unknown {
  const {
    expression: compiled,
    problem,
    programProblem,
  } = compileExpression(expression, { self: declaredType(schema, false) ?? DYN }, parse);
  if (compiled === undefined) return problem ?? programProblem;
  return compiled.evaluate(new ValueScope({ self: toCel(value, schema) }));
}

describe('an expression', () => {
  it.each([
    "self.a__dash__b == 'dash' && has(self.s) && !has(self.m.zz)",
    "self.set == ['y', 'x'] && (self.set + ['z']).size() == 3 && self.ios == 5",
    "self.map.exists(e, e.k == 'a' && e.v == 1) && self.map.map(e, e.v) == [1]",
    '[1, 2, 3].transformList(i, v, v > 1, v * i) == [2, 6] && [1, 2].all(i, v, i < v)',
    "{'a': 1}.transformMap(k, v, v * 10) == {'a': 10} && {'a': 'b'}.transformMapEntry(k, v, {v: k}) == {'b': 'a'}",
    '1 / 0 > 0 || self.i > 0',
    "string(1.5) == '1.5' && int('5') == 5 && double('1e3') == 1000.0 && uint(5) == 5u && bytes('hi') == b'hi'",
    "duration('90m') == self.for && string(self.for) == '5400s' && self.at.getFullYear() == 2020",
    "self.at.getHours('Europe/Berlin') == 4 && self.at - duration('1h') < self.at && self.at.getDayOfWeek() == 4",
    "self.s.substring(1, 3) == 'el' && self.s.indexOf('l') == 2 && self.s.replace('l', 'L', 1) == 'heLlo'",
    "self.s.split('l') == ['he', '', 'o'] && ['a', 'b'].join('-') == 'a-b' && ' x '.trim() == 'x'",
    "self.s.find('l+') == 'll' && self.s.matches('^h') && self.s.upperAscii() == 'HELLO' && self.s.charAt(1) == 'e'",
    "'%s %d %.1f %x %b'.format([[1, 'a'], 5, 1.25, 255, 5]) == '[1, \"a\"] 5 1.3 ff 101' || true",
    '[1, 2].isSorted() && [1, 2].sum() == 3 && [1, 2].min() == 1 && [1, 2].max() == 2 && [1, 2].indexOf(2) == 1',
    'sets.contains([1, 2], [1]) && sets.equivalent([1], [1, 1]) && sets.intersects([1], [1, 2])',
    "url('https://a.b:80/c?d=e').getHost() == 'a.b:80' && !isURL('x')",
    "quantity('1Gi').isGreaterThan(quantity('1G')) && quantity('1.5').compareTo(quantity('1500m')) == 0",
    "ip('1.2.3.4').family() == 4 && cidr('10.0.0.0/8').containsIP('10.1.1.1') && string(ip('0::1')) == '::1'",
    "format.dns1123Label().validate('A').hasValue() && !format.uuid().validate('123e4567-e89b-12d3-a456-426614174000').hasValue()",
    "self.?s.orValue('d') == 'hello' && self.m[?'zz'].orValue('d') == 'd' && optional.of(1).optMap(x, x + 1).value() == 2",
    "type(1) == int && dyn(1) == dyn(1.0) && 'a' in self.m && (self.i > 3 ? true : false)",
  ])('%s is true', (expression) => {
    expect(evaluate(expression)).toBe(true);
  });

  it.each([
    ['self.i / 0', 'division by zero'],
    ["self.m['zz']", 'no such key: zz'],
    ['[1][5]', 'index out of bounds: 5'],
    ['dyn(self.s) + 1', 'no such overload'],
    ['self.s.charAt(9)', 'index out of range: 9'],
    ['self.i + 9223372036854775807', 'integer overflow'],
    ["ip('x')", 'IP Address "x" parse error during conversion from string: ParseAddr("x"): unable to parse IP'],
    ["url('::')", 'URL parse error during conversion from string: parse "::": missing protocol scheme'],
    ['optional.none().value()', 'optional.none() dereference'],
  ])('%s ends with an error', (expression, message) => {
    expect(() => evaluate(expression)).toThrow(message);
  });

  it.each([
    ["'%d'.format(['x'])", 'decimal clause can only be used on integers, was given string'],
    ["'%'.format(['x'])", 'unexpected end of string'],
    ["'%s'.format([])", 'index 0 out of range'],
    ["'%.s'.format([1])", 'strconv.Atoi'],
    ["bool('x')", "type conversion error from 'string' to 'bool'"],
    ["self.s.find('(')", 'missing closing )'],
    ['[1, 2.0]', "expected type 'int' but found 'double'"],
    ['self.s.all(x, true)', 'cannot be range of a comprehension'],
    ['self.set.all(x.y, true)', 'argument must be a simple name'],
    ['[1].all(x, x, true)', 'duplicate variable name: x'],
    ['for', 'reserved identifier: for'],
    ['1 2', "extraneous input '2' expecting <EOF>"],
    ['&& true', "extraneous input '&&' expecting"],
    ['"a', `token recognition error at: '"a'`],
  ])('%s is none', (expression, problem) => {
    expect(evaluate(expression)).toContain(problem);
  });
});
