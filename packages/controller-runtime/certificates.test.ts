import { X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import { createAuthority, issueCertificate } from './certificates.ts';

it('signs with the authority that is given, not with the one before', async () => {
  const now = Date.UTC(2026, 0, 2);
  const [ours, other] = await Promise.all(['CN=ours', 'CN=other'].map((subject) => createAuthority({ subject, now })));
  if (ours === undefined || other === undefined) expect.fail();
  for (const authority of [other, ours, other]) {
    const { cert } = await issueCertificate(authority, { subject: 'CN=x', usage: 'server', now });
    const [read, issuer] = [new X509Certificate(cert), new X509Certificate(authority.cert)];
    // By the identifiers of keys, too.
    expect(read.checkIssued(issuer)).toBe(true);
    expect(read.verify(issuer.publicKey)).toBe(true);
  }
});
