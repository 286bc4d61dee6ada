import { expect, it } from 'vitest';
import { checkTyping, MOST_TYPED } from './typing-check.ts';

it('finds nothing wrong with a text of a US keyboard', () => {
  expect(checkTyping('Aa1!\t~\r\n')).toEqual({});
  expect(checkTyping('x'.repeat(MOST_TYPED))).toEqual({});
});

it('refuses a text that is too long', () => {
  expect(checkTyping('x'.repeat(MOST_TYPED + 1)).refusal).toBe(
    'The text has 10,001 characters, and at most 10,000 are typed at once. Type it in parts.',
  );
});

it('says what cannot be typed, and how much of it', () => {
  expect(checkTyping('Müller, Jürgen: 5 €\u00a0\u200b').warning).toBe(
    '5 characters are not on a US keyboard: ü € U+00A0 U+200B. The text is typed without them.',
  );
  expect(checkTyping('xß').warning).toContain('1 character is not on a US keyboard: ß.');
  expect(checkTyping('aαβγδεζηθικ').warning).toContain('α β γ δ ε ζ η θ and 2 others.');
  expect(checkTyping('ß')).toEqual({ refusal: '1 character is not on a US keyboard: ß.' });
});
