import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { CERTIFICATE_KEYS } from '../../../api/index.ts';
import { fits, isIssuedFor, timeLeft, type KeyPair } from '../../authority/index.ts';
import type { Facts, NamedCertificate } from '../facts.ts';
import { certificateNames } from './names.ts';

const DAY = 86_400_000;

/** Milliseconds that a certificate is good for, of which the last third is there to renew it in. */
export const CERTIFICATE_LIFETIME = 365 * DAY;
const RENEWED_BEFORE = CERTIFICATE_LIFETIME / 3;

/** What is to be done about the Secret with a BMC's certificate. */
export type CertificatePlan =
  | { act: 'keep' }
  /** To be signed by the installation's authority. */
  | { act: 'issue'; authority: KeyPair; names: readonly string[] }
  /** What the Secret that the spec names has; values are base64. */
  | { act: 'copy'; data: Readonly<Record<string, string>> };

const KEEP: CertificatePlan = { act: 'keep' };

/**
 * What is to be done. A Secret that the spec names and that cannot be used changes nothing about a certificate that came from there
 * before; where there was none, the authority's own stands in for it.
 *
 * @param now milliseconds since 1970
 */
export function certificatePlan(facts: Facts, now: number): CertificatePlan {
  const { named, held } = facts.certificate;
  if (held.standing === 'Theirs' || held.standing === 'Unread') return KEEP;
  const data = held.standing === 'Ours' ? held.data : {};
  if (named?.state === 'Unread') return KEEP;
  if (named?.state === 'Found' && namedProblem(named, now) === undefined) {
    const wanted = copyOf(named.data);
    return Object.entries(wanted).every(([key, value]) => data[key] === value) ? KEEP : { act: 'copy', data: wanted };
  }
  const { authority } = facts.certificate;
  if (authority === undefined) return KEEP;
  const pair = pairIn(data);
  const names = certificateNames(facts);
  const issue: CertificatePlan = { act: 'issue', authority, names };
  if (pair === undefined || !fits(pair)) return issue;
  if (named !== undefined && !isIssuedFor(pair.cert, textIn(data, CERTIFICATE_KEYS.authority), [])) return KEEP;
  const isGood =
    timeLeft(pair.cert, now) >= RENEWED_BEFORE &&
    isIssuedFor(pair.cert, authority.cert, names) &&
    textIn(data, CERTIFICATE_KEYS.authority) === authority.cert;
  return isGood ? KEEP : issue;
}

/** Why a Secret that the spec names cannot be used, as the end of a sentence; undefined: it can. */
export function namedProblem({ data = {} }: NamedCertificate, now: number): string | undefined {
  const pair = pairIn(data);
  const { certificate, key } = CERTIFICATE_KEYS;
  if (pair === undefined) {
    const lacking = [certificate, key].filter((each) => textIn(data, each) === '');
    return `has no ${lacking.join(' and no ')}`;
  }
  let read: X509Certificate;
  try {
    read = new X509Certificate(pair.cert);
  } catch {
    return `holds no certificate in PEM under ${certificate}`;
  }
  if (!fits(pair)) return `holds a key under ${key} that cannot be read or is not that of the certificate`;
  if (read.validToDate.getTime() <= now) return `holds a certificate that expired at ${read.validToDate.toISOString()}`;
  if (read.validFromDate.getTime() > now)
    return `holds a certificate that is not valid before ${read.validFromDate.toISOString()}`;
  try {
    createSecureContext({ ...pair, minVersion: 'TLSv1.2' });
    return undefined;
  } catch (error) {
    return `holds a certificate that cannot be served: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Milliseconds until something is due by the clock alone; undefined: nothing is there that would be. */
export function certificateDueIn({ certificate: { held, named } }: Facts, now: number): number | undefined {
  const pair = held.standing === 'Ours' ? pairIn(held.data) : undefined;
  if (pair === undefined) return undefined;
  const left = timeLeft(pair.cert, now);
  // Of one that has expired there is no more to be waited for.
  if (named !== undefined) return left > 0 ? left + 1000 : undefined;
  return Math.max(left - RENEWED_BEFORE, 0) + 1000;
}

function pairIn(data: Readonly<Record<string, string>>): KeyPair | undefined {
  const pair = { cert: textIn(data, CERTIFICATE_KEYS.certificate), key: textIn(data, CERTIFICATE_KEYS.key) };
  return pair.cert === '' || pair.key === '' ? undefined : pair;
}

function copyOf(data: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { certificate, key, authority } = CERTIFICATE_KEYS;
  return Object.fromEntries(
    [certificate, key, authority].flatMap((each) => (each in data ? [[each, data[each] ?? '']] : [])),
  );
}

function textIn(data: Readonly<Record<string, string>>, key: string): string {
  return Buffer.from(data[key] ?? '', 'base64').toString('utf8');
}
