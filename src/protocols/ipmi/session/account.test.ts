import { describe, expect, it } from 'vitest';
import { accountOf } from './account.ts';

describe('accountOf', () => {
  it('takes names up to 16, passwords and K_G up to 20 bytes', () => {
    const account = accountOf({ username: 'n'.repeat(16), password: 'p'.repeat(20), kg: Buffer.alloc(20, 1) });
    expect(account).toEqual({
      name: Buffer.from('n'.repeat(16)),
      userKey: Buffer.from('p'.repeat(20)),
      bmcKey: Buffer.alloc(20, 1),
    });
  });

  it.each([
    ['no credentials', undefined],
    ['an empty name', { username: '', password: 'password' }],
    ['an empty password', { username: 'admin', password: '' }],
    ['a name of 17 bytes', { username: 'n'.repeat(17), password: 'password' }],
    ['a password of 21 bytes', { username: 'admin', password: 'p'.repeat(21) }],
    ['a password of 11 characters in 22 bytes', { username: 'admin', password: 'ü'.repeat(11) }],
    ['an empty K_G', { username: 'admin', password: 'password', kg: '' }],
  ])('gives no account for %s', (_name, credentials) => {
    expect(accountOf(credentials)).toBeUndefined();
  });
});
