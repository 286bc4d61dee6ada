import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createCertificates } from './certificates.ts';

describe('the server’s certificates', async () => {
  const { ca, server, frontProxyCa, frontProxy } = await createCertificates(Date.UTC(2026, 0, 1));
  const [authority, certificate] = [new X509Certificate(ca), new X509Certificate(server.cert)];

  it('are signed by its own authority, for the names that clients use', () => {
    expect(certificate.verify(authority.publicKey)).toBe(true);
    expect(certificate.checkIssued(authority)).toBe(true);
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
    for (const name of ['localhost', 'kubernetes.default.svc']) expect(certificate.checkHost(name)).toBe(name);
    expect(authority.ca).toBe(true);
    expect(certificate.ca).toBe(false);
  });

  it('use elliptic curve P-256', () => {
    expect(certificate.publicKey.asymmetricKeyDetails?.namedCurve).toBe('prime256v1');
  });

  it('are other than those that its proxy shows', () => {
    const proxy = new X509Certificate(frontProxy.cert);
    expect(proxy.verify(new X509Certificate(frontProxyCa).publicKey)).toBe(true);
    expect(proxy.verify(authority.publicKey)).toBe(false);
    expect(proxy.subject).toBe('CN=front-proxy-client');
  });
});
