import { describe, expect, it } from 'vitest';
import { goFloat, goJson, goValue, quoted } from './field-errors.ts';

describe('Go writes', () => {
  it('quoted texts with its own escapes', () => {
    expect(quoted('a"b\\c\n\t\u0007\u0001ä😀\u200b')).toBe('"a\\"b\\\\c\\n\\t\\a\\x01ä😀\\u200b"');
  });

  it('JSON with its keys in order, safe for HTML', () => {
    expect(goJson({ b: '<&>', a: [1, { d: null, c: true }] })).toBe(
      '{"a":[1,{"c":true,"d":null}],"b":"\\u003c\\u0026\\u003e"}',
    );
  });

  it('numbers with exponents where they are large', () => {
    expect([1.5, 999999.5, 1000000, 1e21, 0.00001, Infinity, NaN].map(goFloat)).toEqual([
      '1.5',
      '999999.5',
      '1e+06',
      '1e+21',
      '1e-05',
      '+Inf',
      'NaN',
    ]);
    expect([1000000, 'text', 1e21].map(goValue)).toEqual(['1000000', 'text', '1e+21']);
  });
});
