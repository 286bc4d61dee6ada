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

/** All that the admission servers of one installation share. */
export interface Keyring extends Rotation {
  /** What the servers show. */
  server: KeyPair;
}

const DAY = 86_400_000;
const SERVER_LIFETIME = 365 * DAY;
/** A server certificate that has less time left is renewed. */
const RENEWED_BEFORE = SERVER_LIFETIME / 3;

/** API servers are told what to trust by the webhook configurations, so that a day is enough for all of them. */
const TERMS: Terms = {
  name: 'groundcrew-webhook-ca',
  lifetime: 5 * 365 * DAY,
  succeededBefore: 120 * DAY,
  overlap: DAY,
  signsFor: SERVER_LIFETIME,
};

/**
 * The keyring as it should be now: itself where nothing is due, so that it need not be written. No API server meets a certificate that
 * it has not been told to trust: whoever keeps the keyring tells them of it at once.
 *
 * @param names of the server, DNS names and addresses
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
    // One that was issued when the clock was ahead is good for no API server yet.
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
