import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAuthority, issueCertificate } from '@groundcrew/controller-runtime/certificates';

/** Certificates of a test control plane, as PEM files in one folder. */
export interface ControlPlaneCertificates {
  /** PEM of the CA that signed the server's certificate. */
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

/** Creates all certificates that kube-apiserver's flags need. */
export async function createCertificates(folder: string): Promise<ControlPlaneCertificates> {
  const file = (name: CertificateFile) => join(folder, name);
  const write = (name: CertificateFile, pem: string) => {
    writeFileSync(file(name), pem, { mode: 0o600 });
    return pem;
  };
  const now = Date.now();
  const authority = await createAuthority({ subject: 'CN=test', now });
  // A separate CA: otherwise any client certificate could claim to be the aggregator and impersonate any user.
  const frontProxyAuthority = await createAuthority({ subject: 'CN=test-front-proxy', now });

  const ca = write('ca.crt', authority.cert);
  write('front-proxy-ca.crt', frontProxyAuthority.cert);
  const server = await issueCertificate(authority, {
    subject: 'CN=kube-apiserver',
    usage: 'server',
    names: ['127.0.0.1', 'localhost'],
    now,
  });
  write('server.crt', server.cert);
  write('server.key', server.key);
  const admin = await issueCertificate(authority, { subject: 'CN=admin, O=system:masters', usage: 'client', now });
  write('admin.crt', admin.cert);
  write('admin.key', admin.key);
  const frontProxy = await issueCertificate(frontProxyAuthority, { subject: 'CN=front-proxy', usage: 'client', now });
  write('front-proxy.crt', frontProxy.cert);
  write('front-proxy.key', frontProxy.key);
  const tokens = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  write('service-account.key', tokens.privateKey.export({ type: 'sec1', format: 'pem' }));
  write('service-account.pub', tokens.publicKey.export({ type: 'spki', format: 'pem' }));
  return { ca, admin, file };
}
