import { describe, expect, it } from 'vitest';
import { encodeText } from './type-length.ts';

describe('a type/length-encoded text', () => {
  it.each([
    ['', 'c0'],
    ['ab', 'c26162'],
    ['a', 'c26120'],
    ['Mönch', 'c54d6f6e6368'],
    ['ø\n東', 'c33f3f3f'],
  ])('encodes %j as %s', (text, hex) => {
    expect(encodeText(text).toString('hex')).toBe(hex);
  });

  it('is truncated to its maximum length', () => {
    expect(encodeText('x'.repeat(100)).toString('latin1')).toBe(`\u00ff${'x'.repeat(63)}`);
    expect(encodeText('x'.repeat(100), 16).toString('latin1')).toBe(`\u00d0${'x'.repeat(16)}`);
  });
});
