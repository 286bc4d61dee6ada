import 'reflect-metadata';
import { webcrypto, KeyObject } from 'node:crypto';
import * as x509 from '@peculiar/x509';

export interface ServerCertificateOptions {
  /** DNS names of the server; the first is its common name. */
  dnsNames: readonly [string, ...string[]];
  addresses?: readonly string[];
  /** Milliseconds since 1970. */
  now: number;
}

/** A server's certificate and key, and the authority that signed it, made for it alone and forgotten; all PEM. */
export interface ServerCertificate {
  ca: string;
  certificate: string;
  key: string;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY = 24 * 60 * 60 * 1000;
/** For clocks that are behind. */
const BACKDATED = 60 * 60 * 1000;

/** Issues a certificate for a server of the sandbox, valid for ten years. ECDSA P-256. */
export async function issueServerCertificate(options: ServerCertificateOptions): Promise<ServerCertificate> {
  const { dnsNames, addresses = [], now } = options;
  const [authorityKeys, serverKeys] = await Promise.all([generateKeys(), generateKeys()]);
  const validity = { notBefore: new Date(now - BACKDATED), notAfter: new Date(now + 3650 * DAY) };
  const authority = await x509.X509CertificateGenerator.createSelfSigned(
    {
      name: `CN=${dnsNames[0]}-ca`,
      ...validity,
      signingAlgorithm: ALGORITHM,
      keys: authorityKeys,
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      ],
    },
    webcrypto,
  );
  const names: x509.JsonGeneralNames = [
    ...dnsNames.map((value) => ({ type: 'dns' as const, value })),
    ...addresses.map((value) => ({ type: 'ip' as const, value })),
  ];
  const certificate = await x509.X509CertificateGenerator.create(
    {
      subject: `CN=${dnsNames[0]}`,
      issuer: authority.subject,
      ...validity,
      signingAlgorithm: ALGORITHM,
      publicKey: serverKeys.publicKey,
      signingKey: authorityKeys.privateKey,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        new x509.SubjectAlternativeNameExtension(names),
      ],
    },
    webcrypto,
  );
  const key = KeyObject.from(serverKeys.privateKey).export({ type: 'pkcs8', format: 'pem' });
  return { ca: authority.toString('pem'), certificate: certificate.toString('pem'), key: key.toString() };
}

async function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}
