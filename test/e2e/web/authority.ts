import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { connect } from 'node:tls';
import { Pkcs10CertificateRequest, X509CertificateGenerator } from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY = 86_400_000;

/** A certificate authority of a user. */
export interface Authority {
  /** Its own certificate, PEM. */
  readonly cert: string;
  /** @param request PKCS #10, PEM @returns a certificate for a day, PEM */
  sign(request: string): Promise<string>;
}

export async function anAuthority(name: string): Promise<Authority> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const period = { notBefore: new Date(Date.now() - DAY), notAfter: new Date(Date.now() + DAY) };
  const own = await X509CertificateGenerator.createSelfSigned(
    { name: `CN=${name}`, ...period, keys, signingAlgorithm: ALGORITHM },
    webcrypto,
  );
  return {
    cert: own.toString('pem'),
    sign: async (request) => {
      const { subject, publicKey } = new Pkcs10CertificateRequest(request);
      const made = await X509CertificateGenerator.create(
        {
          subject,
          issuer: own.subject,
          ...period,
          publicKey,
          signingKey: keys.privateKey,
          signingAlgorithm: ALGORITHM,
        },
        webcrypto,
      );
      return made.toString('pem');
    },
  };
}

/** SHA-256 of the certificate that the server at the URL presents. */
export async function fingerprintAt(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
  await new Promise<void>((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}
