import { expect, it } from 'vitest';
import { type Deed, refusalOf } from './rights.ts';

const PRIVILEGES = {
  Administrator: ['Login', 'ConfigureManager', 'ConfigureUsers', 'ConfigureSelf', 'ConfigureComponents'],
  Operator: ['Login', 'ConfigureSelf', 'ConfigureComponents'],
  ReadOnly: ['Login', 'ConfigureSelf'],
} as const;

it.each<[keyof typeof PRIVILEGES, Deed, boolean]>([
  ['Administrator', 'users', true],
  ['Administrator', 'power', true],
  ['Operator', 'power', true],
  ['Operator', 'console', true],
  ['Operator', 'media', false],
  ['Operator', 'clearLog', false],
  ['ReadOnly', 'power', false],
  ['ReadOnly', 'settings', false],
])('%s, %s: %s', (role, deed, may) => {
  const caller = { user: 'x', role, session: '', privileges: new Set(PRIVILEGES[role]) };
  const refusal = refusalOf(caller, deed);
  if (may) expect(refusal).toBeUndefined();
  else
    expect(refusal).toMatch(new RegExp(`^Your role ${role} may not do this; an (Operator or )?Administrator may\\.$`));
});
