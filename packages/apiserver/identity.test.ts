import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { prepareCertificates } from './identity.ts';

const NOW = Date.UTC(2026, 0, 1);
const DAY = 24 * 60 * 60 * 1000;

describe('the server’s certificates', async () => {
  const made = await prepareCertificates(NOW);
  const [authority, certificate] = [new X509Certificate(made.authority.cert), new X509Certificate(made.server.cert)];

  it('are signed by its own CA, for the names that clients use', () => {
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

  it('have a CA other than that of the front proxy', () => {
    const proxy = new X509Certificate(made.frontProxy.cert);
    expect(proxy.verify(new X509Certificate(made.frontProxyAuthority.cert).publicKey)).toBe(true);
    expect(proxy.verify(authority.publicKey)).toBe(false);
    expect(proxy.subject).toBe('CN=front-proxy-client');
  });

  it('are reused while they are valid', async () => {
    expect(await prepareCertificates(NOW + 365 * DAY, made)).toEqual(made);
  });

  it('are renewed before they expire, with the same CA key', async () => {
    const later = NOW + (3650 - 30) * DAY;
    const renewed = await prepareCertificates(later, made);
    expect(renewed.authority.key).toBe(made.authority.key);
    const [next, server] = [new X509Certificate(renewed.authority.cert), new X509Certificate(renewed.server.cert)];
    expect(next.subject).toBe(authority.subject);
    for (const valid of [next, server]) expect(valid.validToDate.getTime()).toBeGreaterThan(later + 3000 * DAY);
    // The old CA certificate verifies the new server certificate, and the reverse.
    expect(server.checkIssued(authority) && server.verify(authority.publicKey)).toBe(true);
    expect(certificate.checkIssued(next) && certificate.verify(next.publicKey)).toBe(true);
    expect(server.publicKey.equals(createPublicKey(createPrivateKey(renewed.server.key)))).toBe(true);
  });
});
