import type { OpenWatch } from '@groundcrew/controller-runtime';

/** Milliseconds: a watch that was resumed tells first of what was missed, which takes as long as it takes. */
const CATCH_UP = 1000;
/**
 * Milliseconds: more than the two minutes after which a silent watch is opened anew, since bookmarks are not guaranteed. Until then an agent whose
 * connection is dead may refuse what it should not: its client begins anew and gets its lease from another.
 */
const SILENCE = 130_000;

/**
 * Whether what came by watches is current: all of them stand, have stood for a second, and were opened or heard of late. A watch
 * whose connection breaks ends at once, and with it the freshness.
 */
export function isFresh(watches: readonly (OpenWatch | undefined)[], now: number): boolean {
  return watches.every(
    (watch) => watch !== undefined && now - watch.opened >= CATCH_UP && now - watch.heard <= SILENCE,
  );
}
