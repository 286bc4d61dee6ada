import type { CachedWatch, KubeObject } from '@groundcrew/controller-runtime';

/** Milliseconds: longer than the minute between bookmarks, so that the API server is only asked where it sends none. */
const SILENCE = 90_000;
/** Milliseconds that opening a watch anew may take. */
const GAP = 10_000;
/** Milliseconds: a watch that is opened anew first tells what was missed. */
const CATCH_UP = 1000;

/**
 * Whether what a watch told last can still be taken for what is. A client that fences a node decides by what it reads here: a machine that was
 * off when the connection broke may have been started since.
 */
export function isFresh<T extends KubeObject>(
  { openWatch, heard }: Pick<CachedWatch<T>, 'openWatch' | 'heard'>,
  now: number,
): boolean {
  if (openWatch !== undefined && now - openWatch.opened >= CATCH_UP) return isWithin(SILENCE, openWatch.heard, now);
  return heard !== undefined && isWithin(GAP, heard, now);
}

/** If the clock was set back since, the time since then is not known. */
function isWithin(span: number, heard: number, now: number): boolean {
  return now >= heard && now - heard <= span;
}
