import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { aBmc } from '../testing/builders.ts';
import { credentials, type RandomBytes } from './credentials.ts';

const passwordFrom = (random: RandomBytes): string =>
  Buffer.from(credentials(aBmc(), random).data?.['password'] ?? '', 'base64').toString();

describe('generated credentials', () => {
  it('are a Secret <bmc>-credentials that the BMC owns', () => {
    const secret = credentials(aBmc(), randomBytes);
    expect(secret.metadata).toMatchObject({ name: 'web-bmc-credentials', namespace: 'vms' });
    expect(secret.metadata.ownerReferences).toMatchObject([{ uid: 'uid-of-web-bmc', controller: true }]);
    expect(Object.keys(secret.data ?? {})).toEqual(['username', 'password']);
  });

  it('have a password of 16 characters without ambiguous ones', () => {
    for (let round = 0; round < 50; round += 1) expect(passwordFrom(randomBytes)).toMatch(/^[2-9A-HJ-NP-Za-km-z]{16}$/);
  });

  it('differ each time', () => {
    expect(passwordFrom(randomBytes)).not.toBe(passwordFrom(randomBytes));
  });

  it('use all characters equally: bytes that would cause a bias are replaced', () => {
    const draws = [new Uint8Array(16).fill(255), new Uint8Array(16).fill(0)];
    expect(passwordFrom(() => draws.shift() ?? new Uint8Array(0))).toBe('2'.repeat(16));
  });
});
