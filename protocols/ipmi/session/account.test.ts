import { describe, expect, it } from 'vitest';
import { memoryAccount } from '../../testing/index.ts';
import { bmcKeyOf, ipmiUserOf, isStillGranted } from './account.ts';

describe('the IPMI user of an account', () => {
  it('requires a name of at most 16 and a password of at most 20 bytes', () => {
    const account = memoryAccount(2, { username: 'n'.repeat(16), password: 'p'.repeat(20) });
    expect(ipmiUserOf(account)).toEqual({
      account,
      name: Buffer.from('n'.repeat(16)),
      userKey: Buffer.from('p'.repeat(20)),
      maxPrivilege: 4,
    });
  });

  it.each([
    ['Operator', 3],
    ['ReadOnly', 2],
  ] as const)('of role %s has privilege level %i', (role, level) => {
    expect(ipmiUserOf(memoryAccount(3, { username: 'a', password: 'b', role }))?.maxPrivilege).toBe(level);
  });

  it.each([
    ['an empty name', { username: '', password: 'password' }],
    ['an empty password', { username: 'admin', password: '' }],
    ['a name of 17 bytes', { username: 'n'.repeat(17), password: 'password' }],
    ['a password of 21 bytes', { username: 'admin', password: 'p'.repeat(21) }],
    ['a password of 11 characters in 22 bytes', { username: 'admin', password: 'ü'.repeat(11) }],
    ['a disabled account', { username: 'admin', password: 'password', enabled: false }],
    ['an account without access', { username: 'admin', password: 'password', role: 'NoAccess' as const }],
    ['an account without messaging', { username: 'admin', password: 'password', ipmiMessaging: false }],
  ])('does not exist for %s', (_name, fields) => {
    expect(ipmiUserOf(memoryAccount(3, fields))).toBeUndefined();
  });
});

describe('an open session after an account change', () => {
  const before = memoryAccount(3, { username: 'ops', password: 'password', role: 'Operator' });

  it.each([
    ['nothing changed', before, 3],
    ['the role is higher', { ...before, role: 'Administrator' as const }, 3],
    ['serial over LAN is revoked', { ...before, serialOverLan: false }, 3],
    ['its role is lower but covers the session', { ...before, role: 'ReadOnly' as const }, 2],
  ] as const)('continues if %s', (_name, now, privilege) => {
    expect(isStillGranted(before, privilege, [now])).toBe(true);
  });

  it.each([
    ['removed', { ...before, id: 4 }],
    ['disabled', { ...before, enabled: false }],
    ['renamed', { ...before, name: 'other' }],
    ['one with another password', { ...before, password: Buffer.from('changed') }],
    ['one with a lower role', { ...before, role: 'ReadOnly' as const }],
    ['without messaging', { ...before, ipmiMessaging: false }],
  ])('ends if the account is %s', (_name, now) => {
    expect(isStillGranted(before, 3, [now])).toBe(false);
  });
});

describe('K_G', () => {
  it('has 1 to 20 bytes or is not set', () => {
    expect(bmcKeyOf(undefined)).toBeUndefined();
    expect(bmcKeyOf(Buffer.alloc(20, 1))).toHaveLength(20);
    expect(bmcKeyOf(Buffer.alloc(0))).toBeNull();
    expect(bmcKeyOf(Buffer.alloc(21))).toBeNull();
  });
});
