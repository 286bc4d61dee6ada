import { describe, expect, it } from 'vitest';
import { compilePattern } from './patterns.ts';

describe('a pattern of Go', () => {
  it.each<[pattern: string, match: string, miss: string]>([
    ['(?i)^abc$', 'ABC', 'abd'],
    ['^(?P<a>b)$', 'b', 'a'],
    ['^[[:alpha:]]+$', 'aZ', '1'],
    ['^[[:^digit:]]$', 'a', '1'],
    ['^\\Qa.b\\E$', 'a.b', 'axb'],
    ['^a{,2}$', 'a{,2}', 'aa'],
    ['^\\x{41}\\x42$', 'AB', 'ab'],
    ['\\Aa\\z', 'a', 'b'],
    ['^\\pL+$', 'äB', '1'],
    ['^\\p{Greek}$', 'α', 'a'],
    ['^[^\\s]$', 'a', ' '],
    ['(?s)^.$', '\n', 'ab'],
    ['^[\\w.-]+$', 'a.b-c', 'a b'],
    ['^[a-]$', '-', 'b'],
  ])('%s', (pattern, match, miss) => {
    const compiled = compilePattern(pattern);
    expect([compiled.test(match), compiled.test(miss)]).toEqual([true, false]);
  });

  it.each([
    ['(', 'missing closing ): `(`'],
    [')', 'unexpected ): `)`'],
    ['[', 'missing closing ]: `[`'],
    ['a**', 'invalid nested repetition operator: `**`'],
    ['*a', 'missing argument to repetition operator: `*`'],
    ['[z-a]', 'invalid character class range: `z-a`'],
    ['a{2,1}', 'invalid repeat count: `{2,1}`'],
    ['x{1001}', 'invalid repeat count: `{1001}`'],
    ['(?=a)b', 'invalid or unsupported Perl syntax: `(?=`'],
    ['\\1', 'invalid escape sequence: `\\1`'],
    ['\\y', 'invalid escape sequence: `\\y`'],
    ['a\\', 'trailing backslash at end of expression: ``'],
    ['\\p{Foo}', 'invalid character class range: `\\p{Foo}`'],
    ['[[:foo:]]', 'invalid character class range: `[:foo:]`'],
  ])('%s is none, and Go says why', (pattern, problem) => {
    expect(() => compilePattern(pattern)).toThrow(`error parsing regexp: ${problem}`);
  });
});
