import { createPrivateKey, X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { createAuthority, issueCertificate, type KeyPair } from './certificates.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const DAY = 86_400_000;

describe('an issued certificate', () => {
  let authority: KeyPair;

  beforeAll(async () => {
    authority = await createAuthority({ subject: 'CN=ours, O=Example', now: NOW });
  });

  it('has the names, the times and the issuer that were asked for, and the key that comes with it', async () => {
    const names = [
      'bmc.example',
      '*.lab.example',
      '10.43.7.9',
      '2001:db8::7',
      '::1',
      '::ffff:10.0.0.1',
      '1:2:3:4:5:6:7:8',
    ];
    const request = { subject: 'CN=bmc.example', usage: 'server', names, now: NOW, lifetime: DAY } as const;
    const { cert, key } = await issueCertificate(authority, request);
    const read = new X509Certificate(cert);
    const issuer = new X509Certificate(authority.cert);
    expect(read.subjectAltName).toBe(
      'DNS:bmc.example, DNS:*.lab.example, IP Address:10.43.7.9, IP Address:2001:DB8:0:0:0:0:0:7, IP Address:0:0:0:0:0:0:0:1, ' +
        'IP Address:0:0:0:0:0:FFFF:A00:1, IP Address:1:2:3:4:5:6:7:8',
    );
    expect(read.subject).toBe('CN=bmc.example');
    expect(read.issuer).toBe(issuer.subject);
    expect([read.validFromDate.getTime(), read.validToDate.getTime()]).toEqual([NOW - 3_600_000, NOW + DAY]);
    expect(read.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect(read.ca).toBe(false);
    // By the identifiers of keys, too.
    expect(read.checkIssued(issuer)).toBe(true);
    expect(read.verify(issuer.publicKey)).toBe(true);
    expect(read.checkPrivateKey(createPrivateKey(key))).toBe(true);
  });

  it('may end after 2049, when years have four digits', async () => {
    const lifetime = Date.UTC(2050, 0, 1) - NOW;
    const request = { subject: 'CN=admin, O=system:masters', usage: 'client', now: NOW, lifetime } as const;
    const read = new X509Certificate((await issueCertificate(authority, request)).cert);
    expect(read.validToDate.toISOString()).toBe('2050-01-01T00:00:00.000Z');
    expect(read.subject).toBe('CN=admin\nO=system:masters');
    expect(read.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
  });

  it('comes from the authority that is given, not from the one before', async () => {
    const other = await createAuthority({ subject: 'CN=other', now: NOW });
    for (const issuer of [other, authority, other]) {
      const { cert } = await issueCertificate(issuer, { subject: 'CN=x', usage: 'server', now: NOW });
      expect(new X509Certificate(cert).verify(new X509Certificate(issuer.cert).publicKey)).toBe(true);
    }
  });
});
