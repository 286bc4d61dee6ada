import type { Secret } from '@groundcrew/controller-runtime';
import { dataOf, pairIn, rotationIn, rotationTexts, type RotationKeys } from '../../authority/index.ts';
import type { Keyring } from './keyring.ts';

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
