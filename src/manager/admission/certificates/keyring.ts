import { X509Certificate } from 'node:crypto';
import {
  fits,
  isIssuedFor,
  makeAuthority,
  makeServerCertificate,
  timeLeft,
  type KeyPair,
} from '../../authority/index.ts';

/** All that the admission servers of one installation share. */
export interface Keyring {
  /** Signs. */
  authority: KeyPair;
  /** What the servers show. */
  server: KeyPair;
  /** Signs from some time on, and is trusted already. */
  next?: KeyPair;
  /** Its certificate; signs no more, and is trusted still. */
  previous?: string;
}

const DAY = 86_400_000;
/** Milliseconds that certificates are good for. */
const LIFETIMES = { authority: 5 * 365 * DAY, server: 365 * DAY } as const;
/** An authority that has less time left is given a successor. */
const SUCCEEDED_BEFORE = 120 * DAY;
/** Time in which every API server comes to trust a successor before it signs. */
const TRUSTED_FOR = DAY;
/** A server certificate that has less time left is renewed. */
const RENEWED_BEFORE = LIFETIMES.server / 3;

/** What an API server is to trust: the bundle of its webhook configurations, PEM. */
export function bundleOf({ authority, next, previous }: Keyring): string {
  return [authority.cert, next?.cert, previous]
    .filter((cert) => cert !== undefined)
    .map(withEnd)
    .join('');
}

/**
 * The keyring as it should be now: itself where nothing is due, so that it need not be written.
 *
 * An authority is succeeded in two steps, a day apart: first its successor is trusted beside it, then it signs, while
 * the first stays trusted until it expires. So no API server meets a certificate that it has not been told to trust.
 *
 * @param names of the server, DNS names and addresses
 * @param now milliseconds since 1970
 */
export async function maintained(
  keyring: Keyring | undefined,
  names: readonly string[],
  now: number,
): Promise<Keyring> {
  if (keyring === undefined || timeLeft(keyring.authority.cert, now) <= 0 || !fits(keyring.authority)) {
    const authority = await newAuthority(now);
    return { authority, server: await issue(authority, names, now) };
  }
  const { authority, server, next, previous } = keyring;
  if (next !== undefined && !fits(next)) {
    const { next: _, ...rest } = keyring;
    return await maintained(rest, names, now);
  }
  if (next !== undefined && age(next.cert, now) >= TRUSTED_FOR)
    return { authority: next, server: await issue(next, names, now), previous: authority.cert };
  if (next === undefined && timeLeft(authority.cert, now) < SUCCEEDED_BEFORE)
    return await maintained({ ...keyring, next: await newAuthority(now) }, names, now);
  if (previous !== undefined && timeLeft(previous, now) <= 0) {
    const { previous: _, ...rest } = keyring;
    return await maintained(rest, names, now);
  }
  const isGood =
    timeLeft(server.cert, now) >= RENEWED_BEFORE && fits(server) && isIssuedFor(server.cert, authority.cert, names);
  return isGood ? keyring : { ...keyring, server: await issue(authority, names, now) };
}

async function newAuthority(now: number): Promise<KeyPair> {
  return await makeAuthority({ name: 'groundcrew-webhook-ca', lifetime: LIFETIMES.authority, now });
}

async function issue(authority: KeyPair, names: readonly string[], now: number): Promise<KeyPair> {
  return await makeServerCertificate(authority, { names, lifetime: LIFETIMES.server, now });
}

function age(cert: string, now: number): number {
  return now - new X509Certificate(cert).validFromDate.getTime();
}

function withEnd(pem: string): string {
  return pem.endsWith('\n') ? pem : `${pem}\n`;
}
