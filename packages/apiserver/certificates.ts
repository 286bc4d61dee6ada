import { X509Certificate } from 'node:crypto';
import {
  createAuthority,
  issueCertificate,
  type CertificateRequest,
  type KeyPair,
} from '@groundcrew/controller-runtime/certificates';

/** The server's certificates and keys. */
export interface ServerCertificates {
  /** The authority by which clients verify the server, and the server's certificate. */
  authority: KeyPair;
  server: KeyPair;
  /** The authority by which aggregated servers verify this server's proxy, and the proxy's client certificate. */
  frontProxyAuthority: KeyPair;
  frontProxy: KeyPair;
}

type Issued = Omit<CertificateRequest, 'now'>;

const SERVER: Issued = {
  subject: 'CN=kube-apiserver',
  usage: 'server',
  names: ['127.0.0.1', 'localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'],
};
const FRONT_PROXY: Issued = { subject: 'CN=front-proxy-client', usage: 'client' };

/** A saved certificate with less time left is renewed at the start of the server, milliseconds. */
const RENEWED_BEFORE = 90 * 24 * 60 * 60 * 1000;

/** Creates the server's certificate authorities and certificates; of saved ones only those that expire soon. */
export async function prepareCertificates(now: number, saved?: ServerCertificates): Promise<ServerCertificates> {
  const [authority, frontProxyAuthority] = await Promise.all([
    prepareAuthority('groundcrew-sandbox', now, saved?.authority),
    prepareAuthority('front-proxy-ca', now, saved?.frontProxyAuthority),
  ]);
  const [server, frontProxy] = await Promise.all([
    issued(authority, SERVER, now, saved?.server),
    issued(frontProxyAuthority, FRONT_PROXY, now, saved?.frontProxy),
  ]);
  return { authority, server, frontProxyAuthority, frontProxy };
}

/** A renewed authority keeps its key: each of the two certificates verifies what the other one signed. */
async function prepareAuthority(name: string, now: number, saved: KeyPair | undefined): Promise<KeyPair> {
  if (saved !== undefined && !isNearExpiry(saved.cert, now)) return saved;
  return await createAuthority({ subject: `CN=${name}`, now, ...(saved === undefined ? {} : { key: saved.key }) });
}

async function issued(authority: KeyPair, request: Issued, now: number, saved: KeyPair | undefined): Promise<KeyPair> {
  if (saved !== undefined && !isNearExpiry(saved.cert, now)) return saved;
  return await issueCertificate(authority, { ...request, now });
}

function isNearExpiry(certificate: string, now: number): boolean {
  return new X509Certificate(certificate).validToDate.getTime() - now < RENEWED_BEFORE;
}
