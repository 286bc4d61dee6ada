import 'reflect-metadata';
import { createPrivateKey, createPublicKey, KeyObject, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import * as x509 from '@peculiar/x509';
import type { KeyPair } from './key-pair.ts';

/** ECDSA P-256, which kube-apiserver and all common clients can verify. */
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY = 86_400_000;
/** Tolerance for clocks that are behind. */
const BACKDATED = DAY / 24;

export interface AuthorityParts {
  /** Common name; the date is appended. */
  name: string;
  /** Validity in milliseconds. */
  lifetime: number;
  /** Milliseconds since 1970. */
  now: number;
}

export interface ServerParts {
  /** DNS names and addresses; the first is the common name. */
  names: readonly string[];
  /** Validity in milliseconds. */
  lifetime: number;
  /** Milliseconds since 1970. */
  now: number;
}

/** Creates a certificate authority. */
export async function createAuthority({ name, lifetime, now }: AuthorityParts): Promise<KeyPair> {
  const keys = await generateKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    {
      // Authorities are identified by their key identifiers; the date is for readers.
      name: `CN=${name} ${new Date(now).toISOString().slice(0, 10)}`,
      ...validity(now, lifetime),
      keys,
      signingAlgorithm: ALGORITHM,
      extensions: [
        new x509.BasicConstraintsExtension(true, 0, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey, false, webcrypto),
      ],
    },
    webcrypto,
  );
  return { cert: certificate.toString('pem'), key: pemOf(keys.privateKey) };
}

/** Issues the certificate of a server. */
export async function issueServerCertificate(
  authority: KeyPair,
  { names, lifetime, now }: ServerParts,
): Promise<KeyPair> {
  const keys = await generateKeys();
  const issuer = new x509.X509Certificate(authority.cert);
  const certificate = await x509.X509CertificateGenerator.create(
    {
      subject: `CN=${names[0] ?? 'groundcrew'}`,
      issuer: issuer.subject,
      ...validity(now, lifetime),
      publicKey: keys.publicKey,
      signingKey: (await keysOf(authority)).privateKey,
      signingAlgorithm: ALGORITHM,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        await x509.AuthorityKeyIdentifierExtension.create(await issuer.publicKey.export(webcrypto), false, webcrypto),
        new x509.SubjectAlternativeNameExtension(
          names.map((value) => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value })),
        ),
      ],
    },
    webcrypto,
  );
  return { cert: certificate.toString('pem'), key: pemOf(keys.privateKey) };
}

async function keysOf({ key }: KeyPair): Promise<webcrypto.CryptoKeyPair> {
  const pkcs8 = createPrivateKey(key).export({ type: 'pkcs8', format: 'der' });
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
  return {
    privateKey: await webcrypto.subtle.importKey('pkcs8', pkcs8, ALGORITHM, true, ['sign']),
    publicKey: await webcrypto.subtle.importKey('spki', spki, ALGORITHM, true, ['verify']),
  };
}

async function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

function pemOf(key: webcrypto.CryptoKey): string {
  return KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }).toString();
}

function validity(now: number, lifetime: number): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(now - BACKDATED), notAfter: new Date(now + lifetime) };
}
