import { Authority, type IssuedCertificate } from './authority.ts';

export interface ServerCertificateOptions {
  /** DNS names of the server; the first is its common name. */
  dnsNames: readonly [string, ...string[]];
  addresses?: readonly string[];
  /** Milliseconds since 1970. */
  now: number;
}

/** A server's certificate and key, and the authority that signed it, made for it alone and forgotten; all PEM. */
export interface ServerCertificate extends IssuedCertificate {
  ca: string;
}

/** Issues a certificate for a server of the sandbox. */
export async function issueServerCertificate(options: ServerCertificateOptions): Promise<ServerCertificate> {
  const { now, dnsNames, ...names } = options;
  const [name] = dnsNames;
  const authority = await Authority.create(`${name}-ca`, now);
  const issued = await authority.issue({ subject: `CN=${name}`, usage: 'server', dnsNames, ...names });
  return { ca: authority.certificate, ...issued };
}
