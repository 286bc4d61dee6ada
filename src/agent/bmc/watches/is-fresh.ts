import type { CachedWatch, KubeObject } from '../../../kube/index.ts';

/** Milliseconds: the API server sends a bookmark about once a minute where nothing changes. */
const SILENCE = 90_000;
/** Milliseconds that opening a watch anew may take. */
const GAP = 10_000;

/**
 * Whether what a watch told last can still be taken for what is. Who fences a node kills by what it reads here: a machine that
 * was off when the connection broke may have been started since.
 */
export function isFresh<T extends KubeObject>(
  { openWatch, heard }: Pick<CachedWatch<T>, 'openWatch' | 'heard'>,
  now: number,
): boolean {
  if (openWatch !== undefined) return isWithin(SILENCE, openWatch.heard, now);
  return heard !== undefined && isWithin(GAP, heard, now);
}

/** Of a clock that was set back since, it is not known how long that is. */
function isWithin(span: number, heard: number, now: number): boolean {
  return now >= heard && now - heard <= span;
}
