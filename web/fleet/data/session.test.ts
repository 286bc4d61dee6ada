import { expect, it } from 'vitest';
import { keyIn } from './session.ts';

it.each([
  ['http://127.0.0.1:40123/#key=aB3_-x', 'aB3_-x'],
  ['  aB3_-x\n', 'aB3_-x'],
  ['#key=aB3_-x', 'aB3_-x'],
  ['http://127.0.0.1:40123/', ''],
  ['', ''],
])('finds the key in what was pasted: %j', (text, key) => {
  expect(keyIn(text)).toBe(key);
});
