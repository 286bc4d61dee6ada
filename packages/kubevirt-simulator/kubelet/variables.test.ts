import { describe, expect, it } from 'vitest';
import { expandVariables } from './variables.ts';

describe('variables in arguments', () => {
  it.each([
    ['--namespace=$(POD_NAMESPACE)', '--namespace=default'],
    ['$(POD_NAMESPACE)/$(POD_NAME)', 'default/web-0'],
    ['$(NOT_THERE)', '$(NOT_THERE)'],
    ['$$(POD_NAME)', '$(POD_NAME)'],
    ['$POD_NAME', '$POD_NAME'],
    ['$(toString)', '$(toString)'],
    ['', ''],
  ])('%s', (text, expected) => {
    expect(expandVariables(text, { POD_NAMESPACE: 'default', POD_NAME: 'web-0' })).toBe(expected);
  });
});
