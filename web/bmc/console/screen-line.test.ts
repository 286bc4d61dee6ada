import { expect, it } from 'vitest';
import { pauseIn } from './screen-line.ts';

it.each([
  ['vms/web', undefined],
  [
    'vms/web: the machine is off; its screen comes when it is on',
    'The machine is off; its screen comes when it is on.',
  ],
  ['vms/web: the screen is refused: no such node', 'The screen is refused: no such node.'],
])('finds in the name %s: %s', (name, words) => {
  expect(pauseIn(name)).toBe(words);
});
