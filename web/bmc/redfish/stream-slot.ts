/**
 * Event streams that the pages of one server have in one browser. It has six connections to a server: pages of several
 * BMCs beneath `groundcrew web` need them for requests, too, and its own pages have one stream.
 */
const SLOTS = 3;

/** Does something that does not fail once fewer streams are open, or never if the signal is aborted before. */
export async function inStreamSlot(signal: AbortSignal, act: () => Promise<void>): Promise<void> {
  // A page without TLS has no locks.
  if (!('locks' in navigator)) {
    await act();
    return;
  }
  const found = new AbortController();
  const either = AbortSignal.any([signal, found.signal]);
  const slots = Array.from({ length: SLOTS }, async (_, slot) => {
    await navigator.locks.request(`events-${slot}`, { signal: either }, async () => {
      if (either.aborted) return;
      found.abort();
      await act();
    });
  });
  await Promise.allSettled(slots);
}
