import { describe, expect, it } from 'vitest';
import { encodeText } from './type-length.ts';

describe('a text with its type and length', () => {
  it.each([
    ['', 'c0'],
    ['ab', 'c26162'],
    ['a', 'c26120'],
    ['Mönch', 'c54d6f6e6368'],
    ['ø\n東', 'c33f3f3f'],
  ])('%j is %s', (text, hex) => {
    expect(encodeText(text).toString('hex')).toBe(hex);
  });

  it('is cut where it is too long', () => {
    expect(encodeText('x'.repeat(100)).toString('latin1')).toBe(`\u00ff${'x'.repeat(63)}`);
    expect(encodeText('x'.repeat(100), 16).toString('latin1')).toBe(`\u00d0${'x'.repeat(16)}`);
  });
});
