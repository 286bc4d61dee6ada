import { fits, lifetimeOf, timeLeft, makeAuthority, type KeyPair } from './certificates.ts';

/** A certificate authority with its successor and its predecessor. */
export interface Rotation {
  /** The signing authority. */
  authority: KeyPair;
  /** The next authority: trusted by clients that have read it, and signing later. */
  next?: NextCa;
  /** The previous authority. Its key is deleted; it is trusted while certificates that it signed may be valid. */
  previous?: PreviousCa;
}

interface NextCa {
  pair: KeyPair;
  /** When clients could first read it, milliseconds since 1970; absent: not published yet. */
  announcedAt?: number;
}

interface PreviousCa {
  /** PEM. */
  cert: string;
  /** Nothing that it signed is valid after this time, milliseconds since 1970; it may itself expire earlier. */
  until: number;
}

/** Durations in milliseconds. */
export interface Terms {
  /** Common name of new authorities. */
  name: string;
  lifetime: number;
  /** Domains of the DNS names that new authorities may sign. Default: all names. */
  permittedDomains?: readonly string[] | undefined;
  /** An authority with less time left, or less than a third of its life, gets a nextCa. */
  succeededBefore: number;
  /** Time between the announcement of a nextCa and its first signature. */
  overlap: number;
  /** Maximum validity of a signed certificate. */
  signsFor: number;
}

/** A due step. Each step may be repeated after a crash or by another manager. */
type Step = 'make' | 'make next' | 'announce' | 'succeed' | 'drop next' | 'drop previous';

/** Tolerated difference between the clocks of two managers, so that neither reverts the other's changes. */
const SKEW = 86_400_000;

/**
 * The due step in the life of an authority. In its last third it gets a nextCa, which is announced, and signs after the
 * overlap. The previousCa is dropped when nothing that it signed is valid. If a clock was far ahead, premature steps
 * are reverted or delayed.
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
  // The authority was replaced by hand, or a clock was ahead.
  if (left > succeededBefore + SKEW) return 'drop next';
  if (next.announcedAt === undefined || next.announcedAt > now + SKEW) return 'announce';
  return now - next.announcedAt >= overlap ? 'succeed' : undefined;
}

/** The next authority replaces the current one, whose key is dropped. */
export function succeeded({ authority, next }: Rotation, now: number, { signsFor }: Terms): Rotation {
  if (next === undefined) throw new TypeError('there is no next CA');
  const isTrusted = timeLeft(authority.cert, now) > 0;
  return {
    authority: next.pair,
    ...(isTrusted ? { previous: { cert: authority.cert, until: now + signsFor + SKEW } } : {}),
  };
}

/** Clients can read the nextCa from now on. */
export function announced(rotation: Rotation, now: number): Rotation {
  const { next } = rotation;
  return next === undefined ? rotation : { ...rotation, next: { ...next, announcedAt: now } };
}

/** The certificates to trust, PEM; the signing authority comes first. */
export function bundleOf({ authority, next, previous }: Rotation): string {
  return [authority.cert, next?.pair.cert, previous?.cert]
    .filter((cert) => cert !== undefined)
    .map((cert) => (cert.endsWith('\n') ? cert : `${cert}\n`))
    .join('');
}

/** A custom authority may have a shorter life than a generated one. */
function termsOf({ cert }: KeyPair, terms: Terms): Pick<Terms, 'succeededBefore' | 'overlap'> {
  const succeededBefore = Math.min(terms.succeededBefore, lifetimeOf(cert) / 3);
  return { succeededBefore, overlap: Math.min(terms.overlap, succeededBefore / 2) };
}

function isFit(pair: KeyPair, now: number): boolean {
  return fits(pair) && timeLeft(pair.cert, now) > 0;
}

/**
 * Takes the due steps, except 'announce', which the caller takes after publishing.
 *
 * @param now milliseconds since 1970
 * @returns the same object if no step is due and no write is needed
 */
export async function advanced(rotation: Rotation | undefined, now: number, terms: Terms): Promise<Rotation> {
  const step = dueStep(rotation, now, terms);
  if (rotation === undefined || step === 'make') return { authority: await authorityBy(terms, now) };
  switch (step) {
    case 'make next':
      return { ...rotation, next: { pair: await authorityBy(terms, now) } };
    case 'succeed':
      return succeeded(rotation, now, terms);
    case 'drop next':
    case 'drop previous': {
      const { [step === 'drop next' ? 'next' : 'previous']: _, ...rest } = rotation;
      return await advanced(rest, now, terms);
    }
    case 'announce':
    case undefined:
      return rotation;
  }
}

async function authorityBy({ name, lifetime, permittedDomains }: Terms, now: number) {
  return await makeAuthority({ name, lifetime, permittedDomains, now });
}
