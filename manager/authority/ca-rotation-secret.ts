import type { Secret } from '@groundcrew/controller-runtime';
import { bundleOf, type Rotation } from './ca-rotation.ts';
import type { KeyPair } from './certificates.ts';

/** The keys of a Secret's data for a rotation. */
export interface RotationKeys {
  cert: string;
  key: string;
  nextCert: string;
  nextKey: string;
  /** Time at which the next authority was announced, RFC 3339. */
  nextAnnounced: string;
  previous: string;
  /** Time until which the previous authority is trusted, RFC 3339. */
  previousUntil: string;
}

/** Keys of the installation's authority; the first two are those of type kubernetes.io/tls. */
const KEYS: RotationKeys = {
  cert: 'tls.crt',
  key: 'tls.key',
  nextCert: 'next.crt',
  nextKey: 'next.key',
  nextAnnounced: 'next.announced',
  previous: 'previous.crt',
  previousUntil: 'previous.until',
};

/** The rotation in a Secret; undefined if it has no authority. */
export function rotationIn(secret: Pick<Secret, 'data'>, keys = KEYS): Rotation | undefined {
  const authority = pairIn(secret, keys.cert, keys.key);
  if (authority === undefined) return undefined;
  const next = pairIn(secret, keys.nextCert, keys.nextKey);
  const announcedAt = timeIn(secret, keys.nextAnnounced);
  const previous = textIn(secret, keys.previous);
  return {
    authority,
    ...(next === undefined ? {} : { next: { pair: next, ...(announcedAt === undefined ? {} : { announcedAt }) } }),
    // Without a time it is trusted until it expires.
    ...(previous === undefined
      ? {}
      : { previous: { cert: previous, until: timeIn(secret, keys.previousUntil) ?? Infinity } }),
  };
}

/** The texts of a rotation by key of the Secret. */
export function rotationTexts(
  { authority, next, previous }: Rotation,
  keys = KEYS,
): Record<string, string | undefined> {
  return {
    [keys.cert]: authority.cert,
    [keys.key]: authority.key,
    [keys.nextCert]: next?.pair.cert,
    [keys.nextKey]: next?.pair.key,
    [keys.nextAnnounced]: timeText(next?.announcedAt),
    [keys.previous]: previous?.cert,
    [keys.previousUntil]: previous?.until === Infinity ? undefined : timeText(previous?.until),
  };
}

/** The data of the Secret with the installation's authority. */
export function authorityDataOf(rotation: Rotation): Record<string, string> {
  return dataOf({ ...rotationTexts(rotation), 'ca.crt': bundleOf(rotation) });
}

/** The text of a key in a Secret; undefined if absent. */
function textIn({ data = {} }: Pick<Secret, 'data'>, key: string): string | undefined {
  const value = data[key];
  return value === undefined || value === '' ? undefined : Buffer.from(value, 'base64').toString('utf8');
}

/** The pair of two keys in a Secret; undefined if incomplete. */
export function pairIn(secret: Pick<Secret, 'data'>, certKey: string, keyKey: string): KeyPair | undefined {
  const [cert, key] = [textIn(secret, certKey), textIn(secret, keyKey)];
  return cert === undefined || key === undefined ? undefined : { cert, key };
}

/** The time of a key in a Secret, milliseconds since 1970; undefined if absent. */
function timeIn(secret: Pick<Secret, 'data'>, key: string): number | undefined {
  const time = Date.parse(textIn(secret, key) ?? '');
  return Number.isNaN(time) ? undefined : time;
}

/** A time as text for a Secret. */
function timeText(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString();
}

/** A Secret's data with these texts, without the undefined ones. */
export function dataOf(texts: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).flatMap(([key, text]) =>
      text === undefined ? [] : [[key, Buffer.from(text).toString('base64')]],
    ),
  );
}
