import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { KeyPair } from './key-pair.ts';

/** Whether the key is that of the certificate: somebody may have edited the Secret. */
export function fits({ cert, key }: KeyPair): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

/** Whether certificates can be issued by this key, ECDSA P-256 alone. */
export function canIssue({ key }: KeyPair): boolean {
  return createPrivateKey(key).asymmetricKeyDetails?.namedCurve === 'prime256v1';
}

/** Milliseconds until it expires; none where it cannot be read. */
export function timeLeft(cert: string, now: number): number {
  try {
    return new X509Certificate(cert).validToDate.getTime() - now;
  } catch {
    return 0;
  }
}

/** Milliseconds that it is good for from its first day to its last; none where it cannot be read. */
export function lifetimeOf(cert: string): number {
  try {
    const { validFromDate, validToDate } = new X509Certificate(cert);
    return validToDate.getTime() - validFromDate.getTime();
  } catch {
    return 0;
  }
}

/** Milliseconds until it is good, negative where it is; none where it cannot be read. */
export function timeUntilValid(cert: string, now: number): number {
  try {
    return new X509Certificate(cert).validFromDate.getTime() - now;
  } catch {
    return 0;
  }
}

/** Whether a certificate was issued by this authority, for all of these names; false where it cannot be read. */
export function isIssuedFor(cert: string, authority: string, names: readonly string[]): boolean {
  try {
    const certificate = new X509Certificate(cert);
    return (
      certificate.verify(new X509Certificate(authority).publicKey) &&
      names.every((name) => (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) !== undefined)
    );
  } catch {
    return false;
  }
}
