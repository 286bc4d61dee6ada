import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { createPrivateKey, createPublicKey, KeyObject, webcrypto, X509Certificate } from 'node:crypto';

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
/** What has less time left than this is renewed when it is taken up again. */
const RENEWED_BEFORE = 90 * 24 * 60 * 60 * 1000;

/** Whether a certificate, PEM, should be renewed. `now`: milliseconds since 1970. */
export function isNearExpiry(certificate: string, now: number): boolean {
  return new X509Certificate(certificate).validToDate.getTime() - now < RENEWED_BEFORE;
}

/** A certificate authority. ECDSA P-256. */
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
    return await Authority.#sign(`CN=${name}`, await generateKeys(), now);
  }

  /**
   * Takes up an authority that was saved. A certificate that is near its end is renewed for the same key: what was
   * issued under the old one is good under the new one, and the other way round.
   */
  static async restore({ cert, key }: IssuedCertificate, now: number): Promise<Authority> {
    const certificate = new x509.X509Certificate(cert);
    const pkcs8 = createPrivateKey(key).export({ type: 'pkcs8', format: 'der' });
    const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
    const keys = {
      privateKey: await webcrypto.subtle.importKey('pkcs8', pkcs8, ALGORITHM, true, ['sign']),
      publicKey: await webcrypto.subtle.importKey('spki', spki, ALGORITHM, true, ['verify']),
    };
    if (isNearExpiry(cert, now)) return await Authority.#sign(certificate.subject, keys, now);
    return new Authority(certificate, keys, now);
  }

  /** Its certificate and key, to be saved. */
  save(): IssuedCertificate {
    return { cert: this.certificate, key: pemOf(this.#keys.privateKey) };
  }

  static async #sign(name: string, keys: webcrypto.CryptoKeyPair, now: number): Promise<Authority> {
    const certificate = await x509.X509CertificateGenerator.createSelfSigned(
      {
        name,
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
    return { cert: certificate.toString('pem'), key: pemOf(keys.privateKey) };
  }
}

async function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

function pemOf(key: webcrypto.CryptoKey): string {
  return KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }).toString();
}

function validity(now: number): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(now - BACKDATED), notAfter: new Date(now + LIFETIME) };
}

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
