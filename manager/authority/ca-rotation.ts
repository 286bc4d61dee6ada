import { fits, lifetimeOf, timeLeft } from './inspect.ts';
import type { KeyPair } from './key-pair.ts';

/** A certificate authority, the one that comes after it, and the one that went before. */
export interface Rotation {
  /** Signs. */
  authority: KeyPair;
  /** Signs from some time on, and is trusted already by those who have read of it. */
  next?: NextCa;
  /** Signs no more: its key is gone. It is trusted while something that it signed may be good. */
  previous?: PreviousCa;
}

export interface NextCa {
  pair: KeyPair;
  /** When clients could first read of it, milliseconds since 1970; absent: they cannot yet. */
  announcedAt?: number;
}

export interface PreviousCa {
  /** PEM. */
  cert: string;
  /** Nothing that it signed is good from then on, milliseconds since 1970; it may itself expire before. */
  until: number;
}

/** Durations in milliseconds. */
export interface Terms {
  /** Common name of those that are made. */
  name: string;
  lifetime: number;
  /** An authority that has less time left, or less than a third of its life, is given a nextCa. */
  succeededBefore: number;
  /** Between the day on which clients can read of a nextCa and the one from which on it signs. */
  overlap: number;
  /** The longest that something is good for that it signs. */
  signsFor: number;
}

/** What is due. Each step may be taken again after a crash, or by another manager. */
export type Step = 'make' | 'make next' | 'announce' | 'succeed' | 'drop next' | 'drop previous';

/** Clocks of two managers may differ by so much without one of them undoing what the other did. */
const SKEW = 86_400_000;

/**
 * The step that is due, of the life of an authority: in its last third it is given a nextCa, which is announced, and signs when all
 * have had time to read of it; the previousCa one goes when nothing that it signed is good. Where a clock was far ahead and is right
 * again, what was done too early is taken back or waited for.
 *
 * @param now milliseconds since 1970
 * @returns undefined: nothing is due
 */
export function dueStep(rotation: Rotation | undefined, now: number, terms: Terms): Step | undefined {
  if (rotation === undefined) return 'make';
  const { authority, next, previous } = rotation;
  if (next !== undefined && !isFit(next.pair, now)) return 'drop next';
  if (!isFit(authority, now)) return next === undefined ? 'make' : 'succeed';
  if (previous !== undefined && (now >= previous.until || timeLeft(previous.cert, now) <= 0)) return 'drop previous';
  const left = timeLeft(authority.cert, now);
  const { succeededBefore, overlap } = termsOf(authority, terms);
  if (next === undefined) return left < succeededBefore ? 'make next' : undefined;
  // Somebody has put another authority in its place, or a clock was ahead.
  if (left > succeededBefore + SKEW) return 'drop next';
  if (next.announcedAt === undefined || next.announcedAt > now + SKEW) return 'announce';
  return now - next.announcedAt >= overlap ? 'succeed' : undefined;
}

/** With the next in place of the first, whose key is not kept. */
export function succeeded({ authority, next }: Rotation, now: number, { signsFor }: Terms): Rotation {
  if (next === undefined) throw new TypeError('there is no nextCa');
  const isTrusted = timeLeft(authority.cert, now) > 0;
  return {
    authority: next.pair,
    ...(isTrusted ? { previous: { cert: authority.cert, until: now + signsFor + SKEW } } : {}),
  };
}

/** Clients can read of the nextCa from now on. */
export function announced(rotation: Rotation, now: number): Rotation {
  const { next } = rotation;
  return next === undefined ? rotation : { ...rotation, next: { ...next, announcedAt: now } };
}

/** The certificates that clients are to trust, PEM: first that of the one that signs. */
export function bundleOf({ authority, next, previous }: Rotation): string {
  return [authority.cert, next?.pair.cert, previous?.cert]
    .filter((cert) => cert !== undefined)
    .map((cert) => (cert.endsWith('\n') ? cert : `${cert}\n`))
    .join('');
}

/** One that somebody else has made may live for a shorter time than ours do. */
function termsOf({ cert }: KeyPair, terms: Terms): Pick<Terms, 'succeededBefore' | 'overlap'> {
  const succeededBefore = Math.min(terms.succeededBefore, lifetimeOf(cert) / 3);
  return { succeededBefore, overlap: Math.min(terms.overlap, succeededBefore / 2) };
}

function isFit(pair: KeyPair, now: number): boolean {
  return fits(pair) && timeLeft(pair.cert, now) > 0;
}
