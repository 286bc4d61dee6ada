import { webcrypto } from 'node:crypto';
import type * as X509 from '@peculiar/x509';

export interface Certificate {
  /** PEM. */
  cert: string;
  /** PEM, PKCS #8. */
  key: string;
}

export interface ServerCertificates {
  ca: string;
  server: Certificate;
  /** The authority that aggregated servers know this server's proxy by, and the certificate that it shows them. */
  frontProxyCa: string;
  frontProxy: Certificate;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const LIFETIME = 365 * 24 * 3600_000;

/** Makes the server's own certificate authority and what it signs, valid for a year from `now`. */
export async function createCertificates(now: number): Promise<ServerCertificates> {
  // The library's decorators need this first.
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  x509.cryptoProvider.set(webcrypto);
  const [cluster, proxy] = await Promise.all([
    authority(x509, 'groundcrew-sandbox', now),
    authority(x509, 'front-proxy-ca', now),
  ]);
  const [server, frontProxy] = await Promise.all([
    cluster.sign('kube-apiserver', x509.ExtendedKeyUsage.serverAuth, [
      { type: 'ip', value: '127.0.0.1' },
      ...['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'].map((value) => ({
        type: 'dns' as const,
        value,
      })),
    ]),
    proxy.sign('front-proxy-client', x509.ExtendedKeyUsage.clientAuth, []),
  ]);
  return { ca: cluster.cert, server, frontProxyCa: proxy.cert, frontProxy };
}

interface Authority {
  cert: string;
  sign: (name: string, usage: X509.ExtendedKeyUsage, names: X509.JsonGeneralNames) => Promise<Certificate>;
}

async function authority(x509: typeof X509, name: string, now: number): Promise<Authority> {
  const period = { notBefore: new Date(now - 3600_000), notAfter: new Date(now + LIFETIME) };
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    ...period,
    name: `CN=${name}`,
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return {
    cert: ca.toString('pem'),
    async sign(subject, usage, names) {
      const pair = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
      const cert = await x509.X509CertificateGenerator.create({
        ...period,
        subject: `CN=${subject}`,
        issuer: ca.subject,
        publicKey: pair.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: ALGORITHM,
        extensions: [
          new x509.BasicConstraintsExtension(false, undefined, true),
          new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
          new x509.ExtendedKeyUsageExtension([usage]),
          ...(names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names)]),
        ],
      });
      const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', pair.privateKey));
      return { cert: cert.toString('pem'), key: pem('PRIVATE KEY', key) };
    },
  };
}

function pem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
