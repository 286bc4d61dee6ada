import type { Secret } from '../../../kube/index.ts';
import type { Keyring } from './keyring.ts';

/** Keys of the Secret's data; the first two are those of a Secret of type kubernetes.io/tls. */
const KEYS = {
  serverCert: 'tls.crt',
  serverKey: 'tls.key',
  cert: 'ca.crt',
  key: 'ca.key',
  nextCert: 'next-ca.crt',
  nextKey: 'next-ca.key',
  previous: 'previous-ca.crt',
} as const;

/** The keyring that a Secret holds; undefined where it does not hold a whole one. */
export function keyringIn({ data = {} }: Pick<Secret, 'data'>): Keyring | undefined {
  const read = (key: string): string | undefined => {
    const value = data[key];
    return value === undefined || value === '' ? undefined : Buffer.from(value, 'base64').toString('utf8');
  };
  const pair = (cert: string | undefined, key: string | undefined) =>
    cert === undefined || key === undefined ? undefined : { cert, key };
  const authority = pair(read(KEYS.cert), read(KEYS.key));
  const server = pair(read(KEYS.serverCert), read(KEYS.serverKey));
  if (authority === undefined || server === undefined) return undefined;
  const next = pair(read(KEYS.nextCert), read(KEYS.nextKey));
  const previous = read(KEYS.previous);
  return {
    authority,
    server,
    ...(next === undefined ? {} : { next }),
    ...(previous === undefined ? {} : { previous }),
  };
}

/** The data of a Secret that holds the keyring. */
export function secretDataOf({ authority, server, next, previous }: Keyring): Record<string, string> {
  const texts: Record<string, string | undefined> = {
    [KEYS.serverCert]: server.cert,
    [KEYS.serverKey]: server.key,
    [KEYS.cert]: authority.cert,
    [KEYS.key]: authority.key,
    [KEYS.nextCert]: next?.cert,
    [KEYS.nextKey]: next?.key,
    [KEYS.previous]: previous,
  };
  return Object.fromEntries(
    Object.entries(texts).flatMap(([key, text]) =>
      text === undefined ? [] : [[key, Buffer.from(text).toString('base64')]],
    ),
  );
}
