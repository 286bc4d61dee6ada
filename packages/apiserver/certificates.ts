import { Authority, isNearExpiry, type CertificateRequest, type IssuedCertificate } from './certificate-authority.ts';

/** The server's certificates and keys. */
export interface ServerCertificates {
  /** The authority that clients know the server by, and the certificate that it signed. */
  authority: IssuedCertificate;
  server: IssuedCertificate;
  /** The authority that aggregated servers know this server's proxy by, and the certificate that it shows them. */
  frontProxyAuthority: IssuedCertificate;
  frontProxy: IssuedCertificate;
}

const SERVER: CertificateRequest = {
  subject: 'CN=kube-apiserver',
  usage: 'server',
  addresses: ['127.0.0.1'],
  dnsNames: ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'],
};
const FRONT_PROXY: CertificateRequest = { subject: 'CN=front-proxy-client', usage: 'client' };

/** Makes the server's own certificate authorities and what they sign; of those that were saved, what is near its end. */
export async function prepareCertificates(now: number, saved?: ServerCertificates): Promise<ServerCertificates> {
  const [authority, frontProxyAuthority] = await Promise.all([
    prepareAuthority('groundcrew-sandbox', now, saved?.authority),
    prepareAuthority('front-proxy-ca', now, saved?.frontProxyAuthority),
  ]);
  const [server, frontProxy] = await Promise.all([
    issued(authority, SERVER, now, saved?.server),
    issued(frontProxyAuthority, FRONT_PROXY, now, saved?.frontProxy),
  ]);
  return { authority: authority.save(), server, frontProxyAuthority: frontProxyAuthority.save(), frontProxy };
}

async function prepareAuthority(name: string, now: number, saved: IssuedCertificate | undefined): Promise<Authority> {
  return await (saved === undefined ? Authority.create(name, now) : Authority.restore(saved, now));
}

async function issued(
  authority: Authority,
  request: CertificateRequest,
  now: number,
  saved: IssuedCertificate | undefined,
): Promise<IssuedCertificate> {
  return saved === undefined || isNearExpiry(saved.cert, now) ? await authority.issue(request) : saved;
}
