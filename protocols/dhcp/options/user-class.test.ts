import { expect, it } from 'vitest';
import { decodeUserClasses, encodeUserClasses } from './user-class.ts';

it('user classes encode and decode', () => {
  expect(Buffer.from(encodeUserClasses(['iPXE', 'a'])).toString('hex')).toBe('04695058450161');
  expect(decodeUserClasses(encodeUserClasses(['iPXE', 'a']))).toEqual(['iPXE', 'a']);
});

it.each([
  ['iPXE', ['iPXE']],
  ['', []],
  ['\x09iPXE', ['\x09iPXE']],
  ['\x00', ['']],
])('user classes without lengths are read as one class: %j', (text, classes) => {
  expect(decodeUserClasses(Buffer.from(text))).toEqual(classes);
});
