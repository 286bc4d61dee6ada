import {
  advanced,
  announced,
  dueStep,
  fits,
  isIssuedFor,
  makeServerCertificate,
  timeLeft,
  timeUntilValid,
  dataOf,
  pairIn,
  rotationIn,
  rotationTexts,
  KeptSecret,
  type KeyPair,
  type Rotation,
  type Terms,
  type RotationKeys,
} from '../authority/index.ts';
import type { Secret, Clock, KubeClient, Logger } from '@groundcrew/controller-runtime';

/** The keys and certificates that all admission servers of one installation share. */
export interface Keyring extends Rotation {
  /** The certificate that the servers present. */
  server: KeyPair;
}

const DAY = 86_400_000;
const SERVER_LIFETIME = 365 * DAY;
/** The server certificate is renewed when less time than this remains. */
const RENEWED_BEFORE = SERVER_LIFETIME / 3;

/** API servers get the CA bundle from the webhook configurations, so one day of overlap is enough. */
const TERMS: Terms = {
  name: 'groundcrew-webhook-ca',
  lifetime: 5 * 365 * DAY,
  succeededBefore: 120 * DAY,
  overlap: DAY,
  signsFor: SERVER_LIFETIME,
};

/**
 * Returns the keyring with all due changes, or the same object if nothing is due and no write is needed. The caller must
 * publish the new bundle at once, so that API servers trust a certificate before the servers present it.
 *
 * @param names DNS names and addresses of the server
 * @param now milliseconds since 1970
 */
export async function maintained(
  keyring: Keyring | undefined,
  names: readonly string[],
  now: number,
): Promise<Keyring> {
  const before: Rotation | undefined = keyring;
  let rotation = await advanced(before, now, TERMS);
  if (dueStep(rotation, now, TERMS) === 'announce') rotation = announced(rotation, now);
  const { authority } = rotation;
  const server = keyring?.server;
  const isGood =
    server !== undefined &&
    timeLeft(server.cert, now) >= RENEWED_BEFORE &&
    // A certificate that was issued while the clock was ahead is not valid yet.
    timeUntilValid(server.cert, now) <= 0 &&
    fits(server) &&
    isIssuedFor(server.cert, authority.cert, names);
  if (keyring !== undefined && isGood && rotation === before) return keyring;
  const { next, previous } = rotation;
  return {
    authority,
    server: isGood ? server : await makeServerCertificate(authority, { names, lifetime: SERVER_LIFETIME, now }),
    ...(next === undefined ? {} : { next }),
    ...(previous === undefined ? {} : { previous }),
  };
}

/** Keys of the Secret's data. The server's keys are those of type kubernetes.io/tls. */
const SERVER = { cert: 'tls.crt', key: 'tls.key' } as const;
const KEYS: RotationKeys = {
  cert: 'ca.crt',
  key: 'ca.key',
  nextCert: 'next-ca.crt',
  nextKey: 'next-ca.key',
  nextAnnounced: 'next-ca.announced',
  previous: 'previous-ca.crt',
  previousUntil: 'previous-ca.until',
};

/** The keyring in a Secret; undefined if it is incomplete. */
export function keyringIn(secret: Pick<Secret, 'data'>): Keyring | undefined {
  const rotation = rotationIn(secret, KEYS);
  const server = pairIn(secret, SERVER.cert, SERVER.key);
  return rotation === undefined || server === undefined ? undefined : { ...rotation, server };
}

/** The Secret's data for the keyring. */
export function secretDataOf({ server, ...rotation }: Keyring): Record<string, string> {
  return dataOf({ [SERVER.cert]: server.cert, [SERVER.key]: server.key, ...rotationTexts(rotation, KEYS) });
}

/** Secret in the manager's namespace with the keyring of all replicas. */
export const CERTIFICATES_SECRET = 'groundcrew-webhook-certificates';

interface CertificatesOptions {
  client: KubeClient;
  /** The manager's namespace. */
  namespace: string;
  /** DNS names and addresses of the server. */
  names: readonly string[];
  clock: Clock;
  logger: Logger;
}

/** Keeps the keyring in its Secret and reports its current value. */
export function keptCertificates({ names, ...options }: CertificatesOptions): KeptSecret<Keyring> {
  return new KeptSecret<Keyring>({
    ...options,
    name: CERTIFICATES_SECRET,
    what: 'certificates of the admission server',
    read: keyringIn,
    dataOf: secretDataOf,
    maintained: (known, now) => maintained(known, names, now),
    // Clients continue to trust the restored keyring.
    comesBack: true,
  });
}
