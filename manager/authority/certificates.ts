import type { KeyPair } from '@groundcrew/controller-runtime/certificates';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

export type { KeyPair };

/** The signing authority and the certificates to trust. */
export interface Issuer extends KeyPair {
  /** Certificates, PEM: its own first, then those of its successor and its predecessor. */
  bundle: string;
}

interface Validity {
  /** Milliseconds. */
  lifetime: number;
  /** Milliseconds since 1970. */
  now: number;
}

/** The certificates that were read last, by their PEM, oldest first: each BMC's is checked in several ways at a time. */
const read = new Map<string, X509Certificate>();
const MOST_READ = 16;

/** @throws Error for anything but a certificate in PEM or DER */
export function parsed(cert: string): X509Certificate {
  const known = read.get(cert) ?? new X509Certificate(cert);
  read.delete(cert);
  read.set(cert, known);
  const [oldest] = read.keys();
  if (read.size > MOST_READ && oldest !== undefined) read.delete(oldest);
  return known;
}

/** RFC 5280 appendix A.1, ub-common-name. */
const MAX_COMMON_NAME = 64;

/**
 * Creates a certificate authority. The code that issues certificates is loaded on demand, since most processes never
 * need it.
 *
 * @param name common name; the date is appended
 * @param permittedDomains of the DNS names that it may sign; default: all names
 */
export async function makeAuthority({
  name,
  ...request
}: Validity & { name: string; permittedDomains?: readonly string[] | undefined }): Promise<KeyPair> {
  const { createAuthority } = await import('@groundcrew/controller-runtime/certificates');
  // Authorities are identified by their key identifiers; the date is for readers.
  const subject = `CN=${name} ${new Date(request.now).toISOString().slice(0, 10)}`;
  return await createAuthority({ subject, ...request });
}

/**
 * Issues the certificate of a server.
 *
 * @param names DNS names and addresses; the first that fits is the common name
 */
export async function makeServerCertificate(
  authority: KeyPair,
  { names, ...period }: Validity & { names: readonly string[] },
): Promise<KeyPair> {
  const { issueCertificate } = await import('@groundcrew/controller-runtime/certificates');
  const subject = `CN=${names.find(({ length }) => length <= MAX_COMMON_NAME) ?? 'groundcrew'}`;
  return await issueCertificate(authority, { subject, usage: 'server', names, ...period });
}

/** Whether the key belongs to the certificate: the Secret may have been edited. */
export function fits({ cert, key }: KeyPair): boolean {
  try {
    return parsed(cert).checkPrivateKey(createPrivateKey(key));
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
    return parsed(cert).validToDate.getTime() - now;
  } catch {
    return 0;
  }
}

/** Milliseconds between the start and the end of its validity; 0 if it cannot be read. */
export function lifetimeOf(cert: string): number {
  try {
    const { validFromDate, validToDate } = parsed(cert);
    return validToDate.getTime() - validFromDate.getTime();
  } catch {
    return 0;
  }
}

/** Milliseconds until it is valid, negative if it already is; 0 if it cannot be read. */
export function timeUntilValid(cert: string, now: number): number {
  try {
    return parsed(cert).validFromDate.getTime() - now;
  } catch {
    return 0;
  }
}

/** Whether this authority signed the certificate; false if it cannot be read. */
export function isSignedBy(cert: string, authority: string): boolean {
  try {
    return parsed(cert).verify(parsed(authority).publicKey);
  } catch {
    return false;
  }
}

/** Whether this authority issued the certificate for exactly these names; false if it cannot be read. */
export function isIssuedFor(cert: string, authority: string, names: readonly string[]): boolean {
  if (!isSignedBy(cert, authority)) return false;
  const [wanted, held] = [new Set(names.map(plainName)), new Set(namesIn(cert))];
  return wanted.size === held.size && [...wanted].every((name) => held.has(name));
}

/** DNS names and addresses of a certificate, as `plainName` writes them. */
function namesIn(cert: string): string[] {
  const { subjectAltName = '' } = parsed(cert);
  return subjectAltName.split(', ').flatMap((entry) => {
    const [, name] = /^(?:DNS|IP Address):(.+)$/.exec(entry) ?? [];
    // An entry of another kind makes the names differ.
    return entry === '' ? [] : [plainName(name ?? entry)];
  });
}

/** A name in lower case, or an address in its shortest notation, so that they can be compared. */
export function plainName(name: string): string {
  return isIP(name) === 6 ? new URL(`http://[${name}]`).hostname.slice(1, -1) : name.toLowerCase();
}
