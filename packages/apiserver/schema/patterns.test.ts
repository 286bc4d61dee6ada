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
    ['^[]a]$', ']', 'b'],
    ['^[^]a]$', 'b', ']'],
    ['^[[][0-9A-Fa-f:.]+[]]$', '[::1]', '::1'],
    ['^[\\s-x]$', '-', 'y'],
    ['^(?i:a)b{1,2}$', 'Abb', 'AB'],
    ['^a/b$', 'a/b', 'a'],
  ])('%s', (pattern, match, miss) => {
    const compiled = compilePattern(pattern);
    expect([compiled.test(match), compiled.test(miss)]).toEqual([true, false]);
  });

  it.each([
    ...['(', ')', '[', 'a**', '*a', '[z-a]', 'a{2,1}', '(?=a)b', '(?<!a)b', 'a(?i)b', '\\1', '\\y', 'a\\'],
    ...['\\p{Foo}', '[[:foo:]]', '[a-\\d]'],
  ])('%s is refused', (pattern) => {
    expect(() => compilePattern(pattern)).toThrow('error parsing regexp');
  });
});
