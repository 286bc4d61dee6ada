import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { duplicateFields } from './duplicate-fields.ts';
import { JsonParser } from './json-parser.ts';
import { parseGoJson } from './parse-json.ts';

describe('parsing JSON as Go does', () => {
  // What Go's encoding/json says of each.
  it.each([
    ['', 'unexpected end of JSON input'],
    ['{', 'unexpected end of JSON input'],
    ['"a', 'unexpected end of JSON input'],
    ['tr', 'unexpected end of JSON input'],
    ['x', "invalid character 'x' looking for beginning of value"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['{a: b}', "invalid character 'a' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b"}', `invalid character '"' after object key:value pair`],
    ['[1 2]', "invalid character '2' after array element"],
    ['{} x', "invalid character 'x' after top-level value"],
    ['01', "invalid character '1' after top-level value"],
    ['trve', "invalid character 'v' in literal true (expecting 'u')"],
    ['-x', "invalid character 'x' in numeric literal"],
    ['1.x', "invalid character 'x' after decimal point in numeric literal"],
    ['1ex', "invalid character 'x' in exponent of numeric literal"],
    ['"\u0001"', "invalid character '\\x01' in string literal"],
    ['"\n"', "invalid character '\\n' in string literal"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u12x4"', "invalid character 'x' in \\u hexadecimal character escape"],
    ["'a'", "invalid character '\\'' looking for beginning of value"],
    ['ä', "invalid character 'Ã' looking for beginning of value"],
  ])('refuses %j', (text, message) => {
    expect(() => parseGoJson(text)).toThrow(new SyntaxError(message));
  });

  it('agrees with JSON.parse on all that is JSON', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(new JsonParser(text).parse().value).toEqual(parseGoJson(text).value);
      }),
    );
  });

  it('does not let a __proto__ key change a prototype', () => {
    const { value } = parseGoJson('{"a":1,"a":2,"__proto__":{"polluted":true}}');
    expect((value as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe('keys that come more than once', () => {
  it('are named by their paths, in the order of the text', () => {
    const text = '{"a":1,"a":2,"b":{"c":[{"d":{},"d":"\\" \\\\"}]},"b":{"e":1,"e":2,"e":3}}';
    expect(duplicateFields(parseGoJson(text))).toEqual(['a', 'b.c[0].d', 'b', 'b.e']);
  });

  it('have the last value', () => {
    expect(parseGoJson('{"a":1,"b":{"x":1},"a":2,"b":{"y":1}}').value).toEqual({ a: 2, b: { y: 1 } });
  });

  it('are not seen where there are none', () => {
    expect(parseGoJson('{"a":"\\"a\\":","b":[{"a":1},{"a":1}], "c" : {"a":"\\\\"}}').repeated.size).toBe(0);
  });
});
