import 'reflect-metadata';
import { webcrypto, X509Certificate } from 'node:crypto';
import * as x509 from '@peculiar/x509';
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

it.each(['server', 'client'] as const)(
  'issues the certificate of a %s as the generator of the library does, but for its signature',
  async (usage) => {
    const now = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
    const authority = await createAuthority({ subject: 'CN=ours 2026, O=lab', now });
    const names = ['a.lab.svc', '*.b.example', '10.0.0.1', 'fd00::1'];
    for (const lifetime of [1_000, 9_000 * 86_400_000]) {
      const { cert } = await issueCertificate(authority, { subject: 'CN=ä b, O=x', usage, names, now, lifetime });
      const read = new x509.X509Certificate(cert);
      const { privateKey } = await webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign']);
      const generated = await x509.X509CertificateGenerator.create(
        {
          serialNumber: read.serialNumber,
          subject: 'CN=ä b, O=x',
          issuer: new x509.X509Certificate(authority.cert).subject,
          notBefore: new Date(now - 3_600_000),
          notAfter: new Date(now + lifetime),
          publicKey: read.publicKey,
          signingKey: privateKey,
          signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
          extensions: read.extensions,
        },
        webcrypto,
      );
      const bodyOf = (certificate: x509.X509Certificate): Buffer => {
        const der = Buffer.from(certificate.rawData);
        return der.subarray(0, der.lastIndexOf(SIGNATURE)).subarray(4);
      };
      expect(bodyOf(read)).toEqual(bodyOf(generated));
      expect(read.getExtension(x509.SubjectAlternativeNameExtension)?.names.toJSON()).toEqual([
        { type: 'dns', value: 'a.lab.svc' },
        { type: 'dns', value: '*.b.example' },
        { type: 'ip', value: '10.0.0.1' },
        { type: 'ip', value: 'fd00::1' },
      ]);
      expect(new X509Certificate(cert).verify(new X509Certificate(authority.cert).publicKey)).toBe(true);
    }
  },
);

/** The identifier of the algorithm, with which a signature begins (RFC 5758 §3.2). */
const SIGNATURE = Buffer.from('300a06082a8648ce3d040302', 'hex');
