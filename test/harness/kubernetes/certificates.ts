import 'reflect-metadata';
import { generateKeyPairSync, KeyObject, webcrypto } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const VALIDITY = 24 * 60 * 60_000;

/** Certificates of a test control plane, as PEM files in one folder. */
export interface ControlPlaneCertificates {
  /** PEM of the authority that signed the server's certificate. */
  ca: string;
  /** PEM of a client certificate of group system:masters, and its key. */
  admin: { cert: string; key: string };
  /** Path of a file in the folder, by name. */
  file(name: CertificateFile): string;
}

export type CertificateFile =
  | 'ca.crt'
  | 'server.crt'
  | 'server.key'
  | 'admin.crt'
  | 'admin.key'
  | 'front-proxy-ca.crt'
  | 'front-proxy.crt'
  | 'front-proxy.key'
  | 'service-account.key'
  | 'service-account.pub';

interface Authority {
  certificate: x509.X509Certificate;
  keys: webcrypto.CryptoKeyPair;
}

/** Makes everything that kube-apiserver's flags name, valid for a day. */
export async function createCertificates(folder: string): Promise<ControlPlaneCertificates> {
  const file = (name: CertificateFile) => join(folder, name);
  const write = (name: CertificateFile, pem: string) => {
    writeFileSync(file(name), pem, { mode: 0o600 });
    return pem;
  };
  const authority = await createAuthority('test');
  // Apart from the first, or any client certificate could claim to be the aggregator and act as anybody.
  const frontProxyAuthority = await createAuthority('test-front-proxy');

  const ca = write('ca.crt', authority.certificate.toString('pem'));
  write('front-proxy-ca.crt', frontProxyAuthority.certificate.toString('pem'));
  const server = await issue(authority, 'CN=kube-apiserver', [
    new x509.SubjectAlternativeNameExtension([
      { type: 'ip', value: '127.0.0.1' },
      { type: 'dns', value: 'localhost' },
    ]),
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
  ]);
  write('server.crt', server.cert);
  write('server.key', server.key);
  const asClient = [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth])];
  const admin = await issue(authority, 'CN=admin, O=system:masters', asClient);
  write('admin.crt', admin.cert);
  write('admin.key', admin.key);
  const frontProxy = await issue(frontProxyAuthority, 'CN=front-proxy', asClient);
  write('front-proxy.crt', frontProxy.cert);
  write('front-proxy.key', frontProxy.key);
  const tokens = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  write('service-account.key', tokens.privateKey.export({ type: 'sec1', format: 'pem' }).toString());
  write('service-account.pub', tokens.publicKey.export({ type: 'spki', format: 'pem' }).toString());
  return { ca, admin, file };
}

async function createAuthority(name: string): Promise<Authority> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    {
      name: `CN=${name}`,
      ...validity(),
      keys,
      signingAlgorithm: ALGORITHM,
      extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
    },
    webcrypto,
  );
  return { certificate, keys };
}

async function issue(
  authority: Authority,
  subject: string,
  extensions: x509.Extension[],
): Promise<{ cert: string; key: string }> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.create(
    {
      subject,
      issuer: authority.certificate.subject,
      ...validity(),
      publicKey: keys.publicKey,
      signingKey: authority.keys.privateKey,
      signingAlgorithm: ALGORITHM,
      extensions,
    },
    webcrypto,
  );
  const key = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' });
  return { cert: certificate.toString('pem'), key: key.toString() };
}

/** From an hour ago, so that a clock that was just set does not matter. */
function validity(): { notBefore: Date; notAfter: Date } {
  const now = Date.now();
  return { notBefore: new Date(now - 60 * 60_000), notAfter: new Date(now + VALIDITY) };
}
