import type { Secret } from '@groundcrew/controller-runtime';
import type { KeyPair } from './key-pair.ts';

/** The text of a key in a Secret; undefined if absent. */
export function textIn({ data = {} }: Pick<Secret, 'data'>, key: string): string | undefined {
  const value = data[key];
  return value === undefined || value === '' ? undefined : Buffer.from(value, 'base64').toString('utf8');
}

/** The pair of two keys in a Secret; undefined if incomplete. */
export function pairIn(secret: Pick<Secret, 'data'>, certKey: string, keyKey: string): KeyPair | undefined {
  const [cert, key] = [textIn(secret, certKey), textIn(secret, keyKey)];
  return cert === undefined || key === undefined ? undefined : { cert, key };
}

/** The time of a key in a Secret, milliseconds since 1970; undefined if absent. */
export function timeIn(secret: Pick<Secret, 'data'>, key: string): number | undefined {
  const time = Date.parse(textIn(secret, key) ?? '');
  return Number.isNaN(time) ? undefined : time;
}

/** A time as text for a Secret. */
export function timeText(time: number | undefined): string | undefined {
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
