import { describe, expect, it } from 'vitest';
import { quote } from './quote.ts';

describe('quote', () => {
  it.each([
    ['plain-1.2/x', 'plain-1.2/x'],
    ['a b', "'a b'"],
    ["it's", `'it'\\''s'`],
    ['$HOME', "'$HOME'"],
    ['', "''"],
  ])('quotes %j as %j', (word, quoted) => {
    expect(quote(word)).toBe(quoted);
  });
});
