import 'reflect-metadata';
import { KeyObject, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

/** A certificate and its private key (PKCS #8), both PEM, named as node:tls wants them. */
export interface IssuedCertificate {
  cert: string;
  key: string;
}

export interface CertificateRequest {
  /** Distinguished name: `CN=admin, O=system:masters`. */
  subject: string;
  usage: 'server' | 'client';
  dnsNames?: readonly string[];
  addresses?: readonly string[];
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const LIFETIME = 3650 * 24 * 60 * 60 * 1000;
/** For clocks that are behind. */
const BACKDATED = 60 * 60 * 1000;

/** A certificate authority that lives as long as the process. ECDSA P-256. */
export class Authority {
  /** PEM. */
  readonly certificate: string;
  readonly #certificate: x509.X509Certificate;
  readonly #keys: webcrypto.CryptoKeyPair;
  readonly #now: number;

  private constructor(certificate: x509.X509Certificate, keys: webcrypto.CryptoKeyPair, now: number) {
    this.certificate = certificate.toString('pem');
    this.#certificate = certificate;
    this.#keys = keys;
    this.#now = now;
  }

  /**
   * @param name its common name
   * @param now milliseconds since 1970; it and what it issues are valid for ten years from then
   */
  static async create(name: string, now: number): Promise<Authority> {
    const keys = await generateKeys();
    const certificate = await x509.X509CertificateGenerator.createSelfSigned(
      {
        name: `CN=${name}`,
        ...validity(now),
        keys,
        signingAlgorithm: ALGORITHM,
        extensions: [
          new x509.BasicConstraintsExtension(true, undefined, true),
          new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
          await x509.SubjectKeyIdentifierExtension.create(keys.publicKey, false, webcrypto),
        ],
      },
      webcrypto,
    );
    return new Authority(certificate, keys, now);
  }

  async issue(request: CertificateRequest): Promise<IssuedCertificate> {
    const { subject, usage, dnsNames = [], addresses = [] } = request;
    const keys = await generateKeys();
    const names: x509.JsonGeneralNames = [
      ...dnsNames.map((value) => ({ type: 'dns' as const, value })),
      ...addresses.map((value) => ({ type: 'ip' as const, value })),
    ];
    const purpose = usage === 'server' ? x509.ExtendedKeyUsage.serverAuth : x509.ExtendedKeyUsage.clientAuth;
    const certificate = await x509.X509CertificateGenerator.create(
      {
        subject,
        issuer: this.#certificate.subject,
        ...validity(this.#now),
        publicKey: keys.publicKey,
        signingKey: this.#keys.privateKey,
        signingAlgorithm: ALGORITHM,
        extensions: [
          new x509.BasicConstraintsExtension(false, undefined, true),
          new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
          new x509.ExtendedKeyUsageExtension([purpose]),
          ...(names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names)]),
        ],
      },
      webcrypto,
    );
    const key = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' });
    return { cert: certificate.toString('pem'), key: key.toString() };
  }
}

async function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

function validity(now: number): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(now - BACKDATED), notAfter: new Date(now + LIFETIME) };
}
