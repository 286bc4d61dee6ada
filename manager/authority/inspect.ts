import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { KeyPair } from './key-pair.ts';

/** Whether the key belongs to the certificate: the Secret may have been edited. */
export function fits({ cert, key }: KeyPair): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

/** Whether the key can issue certificates: only ECDSA P-256 can. */
export function canIssue({ key }: KeyPair): boolean {
  return createPrivateKey(key).asymmetricKeyDetails?.namedCurve === 'prime256v1';
}

/** Milliseconds until it expires; 0 if it cannot be read. */
export function timeLeft(cert: string, now: number): number {
  try {
    return new X509Certificate(cert).validToDate.getTime() - now;
  } catch {
    return 0;
  }
}

/** Milliseconds between the start and the end of its validity; 0 if it cannot be read. */
export function lifetimeOf(cert: string): number {
  try {
    const { validFromDate, validToDate } = new X509Certificate(cert);
    return validToDate.getTime() - validFromDate.getTime();
  } catch {
    return 0;
  }
}

/** Milliseconds until it is valid, negative if it already is; 0 if it cannot be read. */
export function timeUntilValid(cert: string, now: number): number {
  try {
    return new X509Certificate(cert).validFromDate.getTime() - now;
  } catch {
    return 0;
  }
}

/** Whether this authority issued the certificate for all of these names; false if it cannot be read. */
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
