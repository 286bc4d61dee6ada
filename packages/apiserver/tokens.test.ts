import { beforeEach, describe, expect, it } from 'vitest';
import { Tokens, type TokensOptions } from './tokens.ts';

describe('bearer tokens', () => {
  let now: number;
  let gone: Set<string>;
  let tokens: Tokens;
  beforeEach(() => {
    now = Date.UTC(2026, 0, 1);
    gone = new Set();
    tokens = aServer('secret', { exists: (_kind, _namespace, _name, uid) => !gone.has(uid) });
  });
  const aServer = (secret: string, options: Pick<TokensOptions, 'exists'>): Tokens =>
    new Tokens({ now: () => now, issuer: 'me', admin: `admin-${secret}`, key: btoa(secret), ...options });
  const claims = { namespace: 'ns', name: 'bob', uid: 'u1', audiences: ['me'], seconds: 3600 };

  it('authenticate the administrator', () => {
    expect(tokens.authenticate('admin-secret')?.groups).toContain('system:masters');
  });

  it('authenticate a service account', () => {
    const { token, expires } = tokens.issue(claims);
    expect(expires).toBe(now + 3600_000);
    expect(tokens.authenticate(token)).toEqual({
      name: 'system:serviceaccount:ns:bob',
      uid: 'u1',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'],
    });
  });

  it('are invalid after their expiry, and after the deletion of the account or the bound object', () => {
    const { token } = tokens.issue(claims);
    const { token: bound } = tokens.issue({ ...claims, boundObject: { kind: 'Pod', name: 'p', uid: 'u2' } });
    expect(tokens.authenticate(bound)).toBeDefined();
    gone.add('u2');
    expect(tokens.authenticate(bound)).toBeUndefined();
    gone.add('u1');
    expect(tokens.authenticate(token)).toBeUndefined();
    gone.clear();
    now += 3601_000;
    expect(tokens.authenticate(token)).toBeUndefined();
  });

  it('are refused if they are for another audience', () => {
    expect(tokens.authenticate(tokens.issue({ ...claims, audiences: ['other'] }).token)).toBeUndefined();
  });

  it('are refused if they were changed', () => {
    const { token } = tokens.issue(claims);
    const [header = '', payload = '', signature = ''] = token.split('.');
    const forged = Buffer.from(Buffer.from(payload, 'base64url').toString().replace('bob', 'eve')).toString(
      'base64url',
    );
    for (const bad of [
      '',
      'x',
      '..',
      `${header}.${forged}.${signature}`,
      `${header}.${payload}.`,
      `${token}.x`,
      token.slice(0, -2),
    ]) {
      expect(tokens.authenticate(bad)).toBeUndefined();
    }
  });

  it('are refused if another server issued them', () => {
    const other = aServer('other', { exists: () => true });
    expect(tokens.authenticate(other.issue(claims).token)).toBeUndefined();
    expect(tokens.authenticate('admin-other')).toBeUndefined();
  });
});
