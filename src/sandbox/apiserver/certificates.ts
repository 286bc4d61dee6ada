import { Authority, type IssuedCertificate } from '../certificates/index.ts';

export interface ServerCertificates {
  /** PEM of the authority that signed the server's certificate. */
  ca: string;
  server: IssuedCertificate;
  /** The authority that aggregated servers know this server's proxy by, and the certificate that it shows them. */
  frontProxyCa: string;
  frontProxy: IssuedCertificate;
}

/** Makes the server's own certificate authorities and what they sign. */
export async function createCertificates(now: number): Promise<ServerCertificates> {
  const [cluster, proxy] = await Promise.all([
    Authority.create('groundcrew-sandbox', now),
    Authority.create('front-proxy-ca', now),
  ]);
  const [server, frontProxy] = await Promise.all([
    cluster.issue({
      subject: 'CN=kube-apiserver',
      usage: 'server',
      addresses: ['127.0.0.1'],
      dnsNames: ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'],
    }),
    proxy.issue({ subject: 'CN=front-proxy-client', usage: 'client' }),
  ]);
  return { ca: cluster.certificate, server, frontProxyCa: proxy.certificate, frontProxy };
}
