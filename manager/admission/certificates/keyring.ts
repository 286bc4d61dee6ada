import {
  advanced,
  announced,
  dueStep,
  fits,
  isIssuedFor,
  makeServerCertificate,
  timeLeft,
  timeUntilValid,
  type KeyPair,
  type Rotation,
  type Terms,
} from '../../authority/index.ts';

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
