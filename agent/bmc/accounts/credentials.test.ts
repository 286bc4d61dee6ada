import { describe, expect, it } from 'vitest';
import type { Secret } from '@groundcrew/controller-runtime';
import { credentialsOf } from './credentials.ts';

function aSecret(data: Record<string, string>): Secret {
  const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'vms', name: 'creds' },
    data: Object.fromEntries(encoded) as Record<string, string>,
  };
}

function read(data: Record<string, string>): object {
  return credentialsOf(aSecret(data), { name: 'creds' });
}

describe('the credentials of a Secret', () => {
  it('consist of a user name, a password and an optional BMC key', () => {
    expect(read({ username: 'admin', password: 'secret' })).toEqual({
      credentials: { username: Buffer.from('admin'), password: Buffer.from('secret') },
    });
    expect(read({ username: 'admin', password: 'secret', kg: 'k' })).toEqual({
      credentials: { username: Buffer.from('admin'), password: Buffer.from('secret'), kg: Buffer.from('k') },
    });
  });

  it('may have the maximum IPMI length in bytes', () => {
    expect(read({ username: 'é'.repeat(8), password: 'x'.repeat(20) })).toHaveProperty('credentials');
    expect(read({ username: 'é'.repeat(9), password: 'x' })).toEqual({
      problem: 'the username in Secret creds is over 16 bytes, the maximum of IPMI: shorten it',
    });
    expect(read({ username: 'u', password: 'x'.repeat(21) })).toEqual({
      problem: 'the password in Secret creds is over 20 bytes, the maximum of IPMI: shorten it',
    });
    expect(read({ username: 'u', password: 'x', kg: 'x'.repeat(21) })).toHaveProperty('problem');
  });

  it('report what is missing', () => {
    expect(credentialsOf(undefined, { name: 'creds' })).toEqual({ problem: 'Secret creds does not exist' });
    expect(read({ password: 'x' })).toEqual({ problem: 'Secret creds has no username' });
    expect(read({ username: 'u', password: '' })).toEqual({ problem: 'Secret creds has no password' });
  });
});
